"""Writes the messages of an AsyncAPI file as TypeScript: message_types.py voice.asyncapi.yaml"""

import json
import sys

import yaml


def name_of(schema):
    return schema[0].upper() + schema[1:]


def type_of(schema, depth):
    """The TypeScript of a schema."""
    if "$ref" in schema:
        return name_of(schema["$ref"].rsplit("/", 1)[1])
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if "type" not in schema:
        return "unknown"
    kinds = schema["type"]
    kinds = kinds if isinstance(kinds, list) else [kinds]
    return " | ".join(type_of_kind(kind, schema, depth) for kind in kinds)


def type_of_kind(kind, schema, depth):
    if kind == "array":
        return f"Array<{type_of(schema.get('items', {}), depth)}>"
    if kind == "object":
        return object_of(schema, depth)
    return {"integer": "number"}.get(kind, kind)


def object_of(schema, depth):
    if "properties" not in schema:
        return f"Record<string, {type_of(schema.get('additionalProperties', {}), depth)}>"
    pad = "    " * depth
    required = schema.get("required", [])
    lines = []
    for name, value in schema["properties"].items():
        if "description" in value:
            lines.append(f"{pad}    /** {value['description']} */")
        mark = "" if name in required else "?"
        lines.append(f"{pad}    {name}{mark}: {type_of(value, depth + 1)};")
    text = "\n".join(["{", *lines, pad + "}"])
    return text + choice_of(schema)


def choice_of(schema):
    """Requires at least one of the fields that the schema names in oneOf or anyOf."""
    choices = schema.get("oneOf", schema.get("anyOf", []))
    fields = [
        f"{{ {name}: {type_of(schema['properties'][name], 0)} }}"
        for choice in choices
        for name in choice["required"]
    ]
    return f" & ({' | '.join(fields)})" if fields else ""


def types_of(document):
    blocks = ["// Made from docs/voice.asyncapi.yaml by message_types.py."]
    for name, schema in document["components"]["schemas"].items():
        text = f"export type {name_of(name)} = {type_of(schema, 0)};"
        if "description" in schema:
            text = f"/** {schema['description']} */\n{text}"
        blocks.append(text)
    return "\n\n".join(blocks) + "\n"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.stdout.write(types_of(yaml.safe_load(file)))
