# The command line of this checkout with its locked packages. Only the target `spark` contains Java.

FROM python:3.11.14-slim-bookworm AS build
WORKDIR /source
COPY requirements.lock ./
RUN python -m venv /opt/coordstream \
 && /opt/coordstream/bin/python -m pip install --no-cache-dir --require-hashes -r requirements.lock
COPY . .
RUN /opt/coordstream/bin/python -m pip install --no-deps --no-build-isolation --no-index .

FROM python:3.11.14-slim-bookworm AS command
COPY --from=build /opt/coordstream /opt/coordstream
RUN useradd --create-home coordstream
USER coordstream
WORKDIR /home/coordstream
ENV PATH=/opt/coordstream/bin:$PATH PYTHONUNBUFFERED=1
ENTRYPOINT ["coordstream"]
CMD ["--help"]

FROM command AS spark
USER root
RUN apt-get update \
 && apt-get install --yes --no-install-recommends openjdk-17-jre-headless procps \
 && rm -rf /var/lib/apt/lists/*
USER coordstream

FROM command
