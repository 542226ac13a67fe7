use super::*;
use burn::tensor::{Device, bf16, f16};
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use std::fs;
use std::path::Path;

/// A file of tensors: name, type, shape, bytes.
fn write(path: &Path, tensors: &[(&str, Dtype, Vec<usize>, Vec<u8>)]) {
    let views = tensors.iter().map(|(name, dtype, shape, bytes)| {
        (*name, TensorView::new(*dtype, shape.clone(), bytes).unwrap())
    });
    fs::write(path, safetensors::serialize(views, None).unwrap()).unwrap();
}

fn bytes<const N: usize>(numbers: [[u8; N]; 3]) -> Vec<u8> {
    numbers.concat()
}

const NUMBERS: [f32; 3] = [1.5, -2.0, 0.25];

fn weights(folder: &Path) -> Result<Weights, CheckpointError> {
    Weights::open(folder, &["bert."], "word")
}

fn numbers(weights: &Weights, name: &str) -> Vec<f32> {
    weights.tensor(name, [3], &Device::flex()).unwrap().into_data().try_to_vec().unwrap()
}

#[test]
fn numbers_of_16_bits_are_read_and_names_may_have_a_prefix() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("model.safetensors");
    let shape = || vec![3];
    write(
        &file,
        &[
            ("bert.word", Dtype::F32, shape(), bytes(NUMBERS.map(f32::to_le_bytes))),
            (
                "bert.half",
                Dtype::F16,
                shape(),
                bytes(NUMBERS.map(|x| f16::from_f32(x).to_le_bytes())),
            ),
            (
                "bert.brain",
                Dtype::BF16,
                shape(),
                bytes(NUMBERS.map(|x| bf16::from_f32(x).to_le_bytes())),
            ),
            ("bert.LayerNorm.gamma", Dtype::F32, shape(), bytes(NUMBERS.map(f32::to_le_bytes))),
            ("bert.count", Dtype::I64, shape(), bytes([1i64, 2, 3].map(i64::to_le_bytes))),
        ],
    );
    let weights = weights(folder.path()).unwrap();
    for name in ["word", "half", "brain", "LayerNorm.weight"] {
        assert_eq!(numbers(&weights, name), NUMBERS, "{name}");
    }
    let told = |error: CheckpointError| error.to_string();
    let missing =
        weights.tensor("other", [3], &Device::flex()).map(|_| ()).map_err(told).unwrap_err();
    assert!(missing.ends_with("has no tensor `bert.other`"), "{missing}");
    let shape =
        weights.tensor("word", [3, 1], &Device::flex()).map(|_| ()).map_err(told).unwrap_err();
    assert!(
        shape.contains("`bert.word`") && shape.contains("[3], but config.json makes it [3, 1]"),
        "{shape}"
    );
    let kind = weights.tensor("count", [3], &Device::flex()).map(|_| ()).map_err(told).unwrap_err();
    assert!(kind.contains("numbers of type I64"), "{kind}");
}

#[test]
fn a_checkpoint_in_several_files_is_read() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["word", "other"] {
        let path = folder.path().join(format!("{name}.safetensors"));
        write(&path, &[(name, Dtype::F32, vec![3], bytes(NUMBERS.map(f32::to_le_bytes)))]);
    }
    let index =
        r#"{"weight_map": {"word": "word.safetensors", "other": "../../x/other.safetensors"}}"#;
    fs::write(folder.path().join("model.safetensors.index.json"), index).unwrap();
    let weights = weights(folder.path()).unwrap();
    assert_eq!(numbers(&weights, "word"), numbers(&weights, "other"));
}

#[test]
fn what_cannot_be_read_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let told = || weights(folder.path()).map(|_| ()).unwrap_err().to_string();
    assert!(told().ends_with("has no model.safetensors"), "{}", told());
    fs::write(folder.path().join("pytorch_model.bin"), "").unwrap();
    assert!(
        told().contains("which is not read because opening one runs code; convert it: python -c")
    );
    for damaged in [b"".as_slice(), b"x", &[255; 64], b"\x02\0\0\0\0\0\0\0{}trailing"] {
        fs::write(folder.path().join("model.safetensors"), damaged).unwrap();
        assert!(told().contains("is not a safetensors file"), "{}", told());
    }
}
