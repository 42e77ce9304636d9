"""The discovery document of the Cloud TPU API for Google's client."""

from typing import Any

SCOPE = "https://www.googleapis.com/auth/cloud-platform"
VERSIONS = ("v1", "v1alpha1")


def description(root: str, version: str) -> dict[str, Any]:
    """Return the description of the API at the URL `root`, which ends in a slash."""
    return {
        "kind": "discovery#restDescription",
        "discoveryVersion": "v1",
        "id": f"tpu:{version}",
        "name": "tpu",
        "version": version,
        "title": "Cloud TPU API on this computer",
        "protocol": "rest",
        "rootUrl": root,
        "baseUrl": root,
        "basePath": "",
        "servicePath": "",
        "batchPath": "batch",
        "parameters": {},
        "auth": {"oauth2": {"scopes": {SCOPE: {"description": "Cloud TPUs"}}}},
        "schemas": SCHEMAS,
        "resources": {
            "projects": {
                "resources": {
                    "locations": {
                        "resources": {"nodes": {"methods": _methods(version)}}
                    }
                }
            }
        },
    }


def _methods(version: str) -> dict[str, Any]:
    return {
        "get": {
            "id": "tpu.projects.locations.nodes.get",
            "httpMethod": "GET",
            "path": version + "/{+name}",
            "parameters": {
                "name": _path(r"^projects/[^/]+/locations/[^/]+/nodes/[^/]+$")
            },
            "parameterOrder": ["name"],
            "response": {"$ref": "Node"},
            "scopes": [SCOPE],
        },
        "list": {
            "id": "tpu.projects.locations.nodes.list",
            "httpMethod": "GET",
            "path": version + "/{+parent}/nodes",
            "parameters": {
                "parent": _path(r"^projects/[^/]+/locations/[^/]+$"),
                "pageSize": {"type": "integer", "format": "int32", "location": "query"},
                "pageToken": {"type": "string", "location": "query"},
            },
            "parameterOrder": ["parent"],
            "response": {"$ref": "ListNodesResponse"},
            "scopes": [SCOPE],
        },
    }


def _path(pattern: str) -> dict[str, Any]:
    return {"type": "string", "location": "path", "required": True, "pattern": pattern}


SCHEMAS: dict[str, Any] = {
    "NetworkEndpoint": {
        "id": "NetworkEndpoint",
        "type": "object",
        "properties": {
            "ipAddress": {"type": "string"},
            "port": {"type": "integer", "format": "int32"},
        },
    },
    "Node": {
        "id": "Node",
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "state": {"type": "string"},
            "health": {"type": "string"},
            "healthDescription": {"type": "string"},
            "acceleratorType": {"type": "string"},
            "ipAddress": {"type": "string"},
            "port": {"type": "string"},
            "networkEndpoints": {"type": "array", "items": {"$ref": "NetworkEndpoint"}},
        },
    },
    "ListNodesResponse": {
        "id": "ListNodesResponse",
        "type": "object",
        "properties": {
            "nodes": {"type": "array", "items": {"$ref": "Node"}},
            "nextPageToken": {"type": "string"},
        },
    },
}
