"""The paths of the API."""

from json import dumps
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from coordstream.relations import RELATIONS
from coordstream.serve.api.parameters import Parameters, sql_type
from coordstream.serve.api.rows import read_rows
from coordstream.serve.pages.asked import known_job
from coordstream.serve.query_queue import queued
from coordstream.serve.snapshot import snapshot


def api_routes() -> list[BaseRoute]:
    """The API's paths."""
    return [Route("/api", relations), Route("/api/{relation}", queued(relation))]


def relations(request: Request) -> Response:
    """Every relation, with its address and the types of its columns."""
    del request
    listed = [
        {
            "relation": name,
            "href": f"/api/{name}",
            "columns": {column.name: sql_type(table, column.name) for column in table.c},
        }
        for name, table in sorted(RELATIONS.items())
    ]
    return JSONResponse({"relations": listed})


def relation(request: Request) -> Response:
    """A page of a relation's rows."""
    name = request.path_params["relation"]
    given = request.query_params.multi_items()
    asked = Parameters.of(name, given)
    with snapshot(request) as connection:
        job = None if asked.job is None else known_job(connection, asked.job)
        page = read_rows(connection, asked, job)
    following = None
    if page.last_key is not None:
        kept = [(word, value) for word, value in given if word != "after"]
        following = f"/api/{name}?{urlencode([*kept, ('after', dumps(page.last_key, ensure_ascii=False))])}"
    return JSONResponse({"relation": name, "rows": page.rows, "next": following})
