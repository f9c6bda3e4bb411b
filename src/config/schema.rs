//! The JSON Schema of the configuration file, made from the table of keys.

use serde_json::{Map, Value, json};

use super::keys::{Key, Kind, SECTIONS, Section, Shape};
use crate::model::setup::Tier;

/// The schema, as text.
pub fn schema() -> String {
    let mut properties = Map::new();
    for section in SECTIONS {
        let table = object(section);
        let many = json!({"type": "array", "description": section.about, "items": table});
        match section.shape {
            Shape::Inner => continue,
            Shape::One => properties.insert(section.name.to_owned(), table),
            Shape::Many => properties.insert(section.name.to_owned(), many),
        };
    }
    let root = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "holdshort configuration",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    });
    format!("{root:#}\n")
}

fn object(section: &Section) -> Value {
    let keys = section.keys.iter();
    let properties: Map<_, _> =
        keys.clone().map(|key| (key.name.to_owned(), property(key))).collect();
    let required: Vec<_> = keys.filter(|key| key.required).map(|key| key.name).collect();
    json!({
        "type": "object",
        "description": section.about,
        "additionalProperties": false,
        "properties": properties,
        "required": required,
    })
}

fn property(key: &Key) -> Value {
    let mut property = shape(key.kind);
    property["description"] = json!(match key.env {
        Some(name) => format!("{} {name} in the environment overrides it.", key.about),
        None => key.about.to_owned(),
    });
    if !key.default.is_empty() {
        property["default"] = match (key.kind, key.default.parse::<u64>()) {
            (Kind::Count(_) | Kind::Cpu | Kind::Gpu, Ok(number)) => json!(number),
            (Kind::Weights | Kind::Priority | Kind::Thousandths, Ok(number)) => json!(number),
            (Kind::Flag, _) => json!(key.default == "true"),
            _ => json!(key.default),
        };
    }
    property
}

fn shape(kind: Kind) -> Value {
    let inner = |name: &str| {
        let section = SECTIONS.iter().find(|section| section.name == name);
        json!({"type": "array", "items": section.map_or(Value::Null, object)})
    };
    match kind {
        Kind::Text | Kind::Path | Kind::Word | Kind::Team => {
            json!({"type": "string", "minLength": 1})
        }
        Kind::Duration => json!({"type": "string", "examples": ["90s", "1h30m"]}),
        Kind::DurationOrNever => json!({"type": "string", "examples": ["10m", "never"]}),
        Kind::Cpu => json!({"type": ["string", "number"], "examples": [2, "500m"]}),
        Kind::Bytes => json!({"type": ["string", "integer"], "examples": ["4Gi"]}),
        Kind::Gpu => json!({"type": ["string", "number"], "examples": [1, 0.5]}),
        Kind::Count(least) => json!({"type": ["integer", "string"], "minimum": least}),
        Kind::Tier => json!({"enum": Tier::ALL.map(Tier::word)}),
        Kind::Role => json!({"enum": ["viewer", "submitter", "operator", "admin", "approver"]}),
        Kind::Devices(name) => json!({"anyOf": [{"type": "integer", "minimum": 0}, inner(name)]}),
        Kind::Tables(name) => inner(name),
        Kind::Keys => json!({
            "type": "object",
            "additionalProperties": {
                "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
            },
        }),
        Kind::Bounds => json!({
            "type": ["object", "string"],
            "examples": [{"gpu": 8, "cpu": "64", "mem": "256Gi"}],
            "additionalProperties": {"type": ["string", "number"]},
        }),
        Kind::Weights => json!({
            "type": ["number", "string", "object"],
            "examples": [2, {"gpu": 2}],
            "additionalProperties": {"type": ["string", "number"]},
        }),
        Kind::Priority => json!({"type": ["integer", "string"], "minimum": 0, "maximum": 1000}),
        Kind::Thousandths => json!({"type": ["number", "string"], "minimum": 0}),
        Kind::Flag => json!({"type": "boolean"}),
        Kind::Labels => json!({"type": "object", "additionalProperties": {"type": "string"}}),
        Kind::Indices => json!({
            "anyOf": [
                {"type": "integer", "minimum": 0},
                {"type": "array", "items": {"type": "integer", "minimum": 0}, "uniqueItems": true},
            ],
        }),
        Kind::OneOf(words) => json!({"enum": words}),
        Kind::Texts => json!({"type": "array", "items": {"type": "string"}}),
        Kind::Names => json!({"type": "array", "items": {"type": "string", "minLength": 1}}),
        Kind::Words(words) => {
            json!({"type": "array", "items": {"enum": words}, "uniqueItems": true})
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_names_every_key() {
        let schema: Value = serde_json::from_str(&schema()).unwrap();
        let properties = &schema["properties"];
        assert_eq!(properties["server"]["properties"]["idle_exit"]["default"], "10m");
        assert_eq!(properties["defaults"]["properties"]["cpu"]["default"], 1);
        let off = &properties["scheduler"]["properties"]["off"]["items"]["enum"];
        assert!(off.as_array().unwrap().contains(&json!("reclaim")));
        assert_eq!(properties["scheduler"]["properties"]["move_victims"]["default"], true);
        assert_eq!(properties["team"]["items"]["properties"]["priority"]["default"], 100);
        assert_eq!(properties["resource"]["items"]["required"], json!(["name", "count"]));
        let gpus = &properties["node"]["items"]["properties"]["gpus"];
        assert!(gpus["anyOf"][1]["items"]["properties"]["mem"].is_object());
        assert!(properties.get("node.gpus").is_none());
    }
}
