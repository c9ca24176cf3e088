# The command line of this checkout with its locked packages. Spark jobs need Java, which the image does not contain.

FROM python:3.11.14-slim-bookworm AS build
WORKDIR /source
COPY requirements.lock ./
RUN python -m venv /opt/coordstream \
 && /opt/coordstream/bin/python -m pip install --no-cache-dir --require-hashes -r requirements.lock
COPY . .
RUN /opt/coordstream/bin/python -m pip install --no-deps --no-build-isolation --no-index .

FROM python:3.11.14-slim-bookworm
COPY --from=build /opt/coordstream /opt/coordstream
RUN useradd --create-home coordstream
USER coordstream
WORKDIR /home/coordstream
ENV PATH=/opt/coordstream/bin:$PATH PYTHONUNBUFFERED=1
ENTRYPOINT ["coordstream"]
CMD ["--help"]
