//! Output with times: frames instead of plain bytes.
//!
//! A frame is the instant (8 bytes, milliseconds since 1970, little end first, signed; the
//! smallest number for "not known"), the length (4 bytes, little end first), then the bytes. All
//! bytes of a frame came at that instant or later, and before the next frame's.

use super::WireError;
use crate::base::Wall;

/// What framed output is called.
pub const MEDIA_TYPE: &str = "application/vnd.holdshort.timed-output";

const HEAD: usize = 12;
const UNKNOWN: i64 = i64::MIN;
/// Bytes of one frame at most; ours are far smaller.
const FRAME_MAX: usize = 16 << 20;

/// Bytes, and when they were written if that is known.
pub type Timed = (Option<Wall>, Vec<u8>);

/// The head of a frame of so many bytes.
pub fn head(at: Option<Wall>, length: u32) -> [u8; HEAD] {
    let mut out = [0; HEAD];
    let (time, size) = out.split_at_mut(8);
    time.copy_from_slice(&at.map_or(UNKNOWN, |at| at.0).to_le_bytes());
    size.copy_from_slice(&length.to_le_bytes());
    out
}

/// Takes bytes in pieces of any size and gives frames, also parts of unfinished ones.
#[derive(Debug, Default)]
pub struct Frames {
    head: Vec<u8>,
    at: Option<Wall>,
    /// Bytes of the frame that are still to come.
    left: usize,
}

impl Frames {
    /// What these bytes bring: pieces with their instants.
    ///
    /// # Errors
    /// When a frame is larger than any of ours can be.
    pub fn push(&mut self, mut bytes: &[u8]) -> Result<Vec<Timed>, WireError> {
        let mut out = Vec::new();
        while !bytes.is_empty() {
            if self.left == 0 {
                let (head, rest) = bytes.split_at(bytes.len().min(HEAD - self.head.len()));
                self.head.extend_from_slice(head);
                bytes = rest;
                if self.head.len() == HEAD {
                    self.begin()?;
                }
                continue;
            }
            let (piece, rest) = bytes.split_at(bytes.len().min(self.left));
            self.left -= piece.len();
            out.push((self.at, piece.to_vec()));
            bytes = rest;
        }
        Ok(out)
    }

    fn begin(&mut self) -> Result<(), WireError> {
        let head = std::mem::take(&mut self.head);
        let (time, size) = head.split_at(8);
        let time = i64::from_le_bytes(time.try_into().unwrap_or_default());
        let size = u32::from_le_bytes(size.try_into().unwrap_or_default());
        self.at = (time != UNKNOWN).then_some(Wall(time));
        self.left = usize::try_from(size).unwrap_or(usize::MAX);
        if self.left > FRAME_MAX {
            return Err(WireError(format!("a frame of output has {size} bytes")));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn frames_come_through_any_cut(
            frames in proptest::collection::vec((any::<Option<i64>>(), ".{0,40}"), 0..8),
            cut in 1usize..30,
        ) {
            let mut bytes = Vec::new();
            let mut want: Vec<(u8, Option<Wall>)> = Vec::new();
            for (at, text) in &frames {
                let at = at.filter(|at| *at != UNKNOWN).map(Wall);
                bytes.extend(head(at, u32::try_from(text.len()).unwrap()));
                bytes.extend(text.bytes());
                want.extend(text.bytes().map(|byte| (byte, at)));
            }
            let mut reader = Frames::default();
            let mut got = Vec::new();
            for piece in bytes.chunks(cut) {
                for (at, bytes) in reader.push(piece).unwrap() {
                    got.extend(bytes.into_iter().map(|byte| (byte, at)));
                }
            }
            prop_assert_eq!(got, want);
        }
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(Frames::default().push(&[0xff; HEAD]).is_err());
    }
}
