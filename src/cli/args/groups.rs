//! `--group 'NAME: size=4 min=2 gpu=1 in=SET'` and `--group-set 'NAME: min=1 in=SET'`.
//!
//! A name, a colon, then words of `KEY=VALUE`, split as a shell would. Groups may stand in sets
//! and sets in sets, so that gangs nest; ranks go through the groups in the order they are given.

use crate::base::quantity;
use crate::cli::args::{values, words};
use crate::model::job::GroupSet;
use crate::model::submission::GroupRequest;

/// Reads a task group.
///
/// # Errors
/// A sentence that says what is wrong.
pub fn group(text: &str) -> Result<GroupRequest, String> {
    let (name, pairs) = parts(text)?;
    let mut made = GroupRequest { name, ..GroupRequest::default() };
    for (key, value) in &pairs {
        let value = value.as_str();
        match key.split_once('.').unwrap_or((key, "")) {
            ("size", "") => made.size = Some(values::at_least_one(value)?),
            ("min", "") => made.min = Some(values::at_least_one(value)?),
            ("cpu", "") => made.cpu_milli = Some(quantity::parse_cpu(value)?),
            ("mem", "") => made.mem_bytes = Some(quantity::parse_bytes(value)?),
            ("gpu", "") => made.gpu_milli = Some(quantity::parse_gpu(value)?),
            ("in", "") => made.within = Some(values::name(value)?),
            ("label", label) if !label.is_empty() => {
                made.node_labels.insert(values::name(label)?, value.into());
            }
            ("resource", name) if !name.is_empty() => {
                let (name, units) = values::resource(&format!("{name}={value}"))?;
                made.custom.insert(name, units);
            }
            _ => return Err(unknown(key, "size, min, cpu, mem, gpu, in, label.K, resource.NAME")),
        }
    }
    let size = made.size.unwrap_or(1);
    if made.min.is_some_and(|min| min > size) {
        return Err(format!("group {}: min is more than its size {size}", made.name));
    }
    Ok(made)
}

/// Reads a set of groups.
///
/// # Errors
/// A sentence that says what is wrong.
pub fn set(text: &str) -> Result<GroupSet, String> {
    let (name, pairs) = parts(text)?;
    let mut made = GroupSet { name, within: None, min_members: None };
    for (key, value) in &pairs {
        match key.as_str() {
            "min" => made.min_members = Some(values::at_least_one(value)?),
            "in" => made.within = Some(values::name(value)?),
            _ => return Err(unknown(key, "min and in")),
        }
    }
    Ok(made)
}

fn unknown(key: &str, there_are: &str) -> String {
    format!("`{key}` is no key here; there are {there_are}")
}

/// The name and the pairs behind the colon, if there are any.
fn parts(text: &str) -> Result<(crate::base::Name, Vec<(String, String)>), String> {
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    let mut pairs = Vec::new();
    for word in words::split(rest)? {
        let Some((key, value)) = word.split_once('=') else {
            return Err(format!("`{word}` is no KEY=VALUE; write 'worker: size=4 gpu=1'"));
        };
        pairs.push((key.to_owned(), value.to_owned()));
    }
    Ok((values::name(name.trim())?, pairs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_and_sets_are_read() {
        let read =
            group("work: size=4 min=2 gpu=1 cpu=2 mem=4Gi in=s label.zone=eu resource.api:x=2");
        let wanted = GroupRequest {
            name: "work".into(),
            within: Some("s".into()),
            size: Some(4),
            min: Some(2),
            cpu_milli: Some(2000),
            mem_bytes: Some(4 << 30),
            gpu_milli: Some(1000),
            custom: [("api:x".into(), 2)].into(),
            node_labels: [("zone".into(), "eu".into())].into(),
        };
        assert_eq!(read, Ok(wanted));
        assert_eq!(group("head").unwrap().name.as_ref(), "head");
        let wanted = GroupSet { name: "s".into(), within: Some("t".into()), min_members: Some(1) };
        assert_eq!(set("s: min=1 in=t"), Ok(wanted));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for bad in ["", ":", "w: size", "w: size=0", "w: size=1 min=2", "w: tpu=1", "w: label.=x"] {
            assert!(group(bad).is_err(), "{bad}");
        }
        for bad in ["", "s: size=2", "s: min=0"] {
            assert!(set(bad).is_err(), "{bad}");
        }
    }
}
