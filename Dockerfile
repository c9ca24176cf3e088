# The command line of this checkout with its locked packages. Only the target `spark` contains PySpark and Java.

FROM python:3.11.14-slim-bookworm AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends gcc libc6-dev
WORKDIR /source
COPY requirements-image.lock ./
RUN python -m venv --without-pip /opt/coordstream \
 && python -m pip --python /opt/coordstream/bin/python install --no-cache-dir --require-hashes -r requirements-image.lock
COPY . .
RUN COORDSTREAM_COMPILE=1 python -m pip --python /opt/coordstream/bin/python install --no-cache-dir --no-deps .

FROM build AS build-spark
RUN python -m pip --python /opt/coordstream/bin/python install --no-cache-dir --require-hashes -r requirements-image-spark.lock

FROM python:3.11.14-slim-bookworm AS run
USER 10001:0
ENV PATH=/opt/coordstream/bin:$PATH PYTHONUNBUFFERED=1 HOME=/tmp COORDSTREAM_HOME=/tmp/coordstream
WORKDIR /tmp
ENTRYPOINT ["coordstream"]
CMD ["--help"]

FROM run AS command
COPY --from=build /opt/coordstream /opt/coordstream

FROM run AS spark
USER root
RUN apt-get update \
 && apt-get install --yes --no-install-recommends openjdk-17-jre-headless procps \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --gid 0 --home-dir /tmp coordstream
COPY --from=build-spark /opt/coordstream /opt/coordstream
USER 10001:0

FROM command
