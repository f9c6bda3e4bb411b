//! The machine divided into the nodes that are configured.
//!
//! Tasks run on this machine whatever node they are on. Devices keep the machine's own indices,
//! so that `CUDA_VISIBLE_DEVICES` is right on every node.

use std::collections::BTreeSet;

use super::{Devices, NodeEntry, PretendGpu};
use crate::base::quantity::{format_bytes, format_cpu};
use crate::model::Resources;
use crate::model::node::{Gpu, Traits};
use crate::model::ports::runner::Machine;

/// What is configured beyond what there is, in a sentence each: for warnings. Nodes may promise
/// more cores and memory than the machine has, where requests are known to be generous; a device
/// that is not there is missing from its node.
pub fn excess(entries: &[NodeEntry], machine: &Machine) -> Vec<String> {
    let mut said = Vec::new();
    let nodes = divide(entries, machine);
    let sum = |pick: fn(&Resources) -> u64| {
        nodes.iter().map(|(node, _)| pick(&node.capacity)).fold(0, u64::saturating_add)
    };
    let (cpu, mem) = (sum(|all| all.cpu_milli), sum(|all| all.mem_bytes));
    if cpu > machine.capacity.cpu_milli {
        let there = format_cpu(machine.capacity.cpu_milli);
        said.push(format!("the nodes have {} cores, the machine has {there}", format_cpu(cpu)));
    }
    if mem > machine.capacity.mem_bytes {
        let there = format_bytes(machine.capacity.mem_bytes);
        said.push(format!("the nodes have {} of memory, the machine {there}", format_bytes(mem)));
    }
    for (entry, (node, _)) in entries.iter().zip(&nodes) {
        let wanted = match &entry.devices {
            Devices::All | Devices::Pretend(_) => continue,
            Devices::These(indices) => indices.len(),
            Devices::Some(count) => *count,
        };
        if node.gpus.len() < wanted {
            let (name, there) = (&node.name, machine.gpus.len());
            said.push(format!("node {name} wants {wanted} GPUs; the machine has {there} in all"));
        }
    }
    said
}

/// The pretend devices of all nodes in order, if there are any: the machine's devices are these
/// then, and no others.
pub fn pretended(entries: &[NodeEntry]) -> Option<Vec<PretendGpu>> {
    let lists = entries.iter().filter_map(|entry| match &entry.devices {
        Devices::Pretend(list) => Some(list.clone()),
        _ => None,
    });
    lists.reduce(|mut all, list| {
        all.extend(list);
        all
    })
}

/// The nodes of a machine. Without an entry it is one node as it is.
pub fn divide(entries: &[NodeEntry], machine: &Machine) -> Vec<(Machine, Traits)> {
    if entries.is_empty() {
        return vec![(machine.clone(), Traits::default())];
    }
    // Named devices first: a mere number takes of what is left.
    let named = entries.iter().filter_map(|entry| match &entry.devices {
        Devices::These(indices) => Some(indices),
        _ => None,
    });
    let mut taken: BTreeSet<u32> = named.flatten().copied().collect();
    let mut pretended = machine.gpus.iter();
    let mut devices = |devices: &Devices| -> Vec<Gpu> {
        match devices {
            Devices::All => machine.gpus.clone(),
            Devices::These(indices) => {
                let named = |gpu: &&Gpu| indices.contains(&gpu.index);
                machine.gpus.iter().filter(named).cloned().collect()
            }
            Devices::Some(count) => {
                let free = machine.gpus.iter().filter(|gpu| !taken.contains(&gpu.index));
                let found: Vec<Gpu> = free.take(*count).cloned().collect();
                taken.extend(found.iter().map(|gpu| gpu.index));
                found
            }
            Devices::Pretend(list) => pretended.by_ref().take(list.len()).cloned().collect(),
        }
    };
    let node = |entry: &NodeEntry| {
        let gpus = devices(&entry.devices);
        let capacity = Resources {
            cpu_milli: entry.cpu_milli.unwrap_or(machine.capacity.cpu_milli),
            mem_bytes: entry.mem_bytes.unwrap_or(machine.capacity.mem_bytes),
            gpu_milli: 1000 * gpus.len() as u64,
            ..Resources::default()
        };
        let name = entry.name.clone().unwrap_or_else(|| machine.name.clone());
        (Machine { name, capacity, gpus }, entry.traits.clone())
    };
    entries.iter().map(node).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(gpus: u32) -> Machine {
        let gpu = |index| Gpu {
            index,
            uuid: format!("u{index}").into(),
            model: "H100".into(),
            mem_bytes: 1,
            foreign: None,
        };
        Machine {
            name: "box".into(),
            capacity: Resources {
                cpu_milli: 8000,
                mem_bytes: 64,
                gpu_milli: u64::from(gpus) * 1000,
                ..Resources::default()
            },
            gpus: (0..gpus).map(gpu).collect(),
        }
    }

    fn entry(name: &str, devices: Devices) -> NodeEntry {
        NodeEntry { name: Some(name.into()), devices, ..NodeEntry::default() }
    }

    fn indices(nodes: &[(Machine, Traits)]) -> Vec<Vec<u32>> {
        let of = |(node, _): &(Machine, Traits)| node.gpus.iter().map(|gpu| gpu.index).collect();
        nodes.iter().map(of).collect()
    }

    #[test]
    fn without_entries_the_machine_is_one_node() {
        assert_eq!(divide(&[], &machine(2)), [(machine(2), Traits::default())]);
        let one = NodeEntry { cpu_milli: Some(1000), ..NodeEntry::default() };
        let (node, _) = divide(&[one], &machine(2)).remove(0);
        assert_eq!((&*node.name, node.capacity.cpu_milli), ("box", 1000));
        assert_eq!((node.capacity.mem_bytes, node.gpus.len()), (64, 2));
    }

    #[test]
    fn devices_keep_the_machines_indices_and_none_is_in_two_nodes() {
        let nodes = [
            entry("a", Devices::Some(2)),
            entry("b", Devices::These(vec![1, 3])),
            entry("c", Devices::Some(0)),
            entry("d", Devices::Some(5)),
        ];
        assert_eq!(
            indices(&divide(&nodes, &machine(5))),
            [vec![0, 2], vec![1, 3], vec![], vec![4]]
        );
        let said = excess(&nodes, &machine(5));
        assert!(said.iter().any(|text| text.contains("node d wants 5 GPUs")), "{said:?}");
        assert!(said.iter().any(|text| text.contains("32 cores")), "{said:?}");
    }

    #[test]
    fn pretend_devices_are_counted_through_all_nodes() {
        let gpu = |name: &str| PretendGpu { name: name.into(), mem_bytes: 1 };
        let nodes = [
            entry("a", Devices::Pretend(vec![gpu("x"), gpu("y")])),
            entry("b", Devices::Pretend(vec![gpu("z")])),
        ];
        assert_eq!(pretended(&nodes).map(|all| all.len()), Some(3));
        assert_eq!(pretended(&nodes[..0]), None);
        assert_eq!(indices(&divide(&nodes, &machine(3))), [vec![0, 1], vec![2]]);
    }
}
