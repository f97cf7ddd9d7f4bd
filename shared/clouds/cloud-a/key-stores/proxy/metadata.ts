import type { StoredLocalKey } from '../../../../vault/keys/store.ts'

/** Metadata of an envelope: one byte that identifies the layout, then the version of the key material, big-endian. */
const LAYOUT = 1
const METADATA_BYTES = 5
const VERSION_AT = 1

export function metadataOf({ version }: Pick<StoredLocalKey, 'version'>): Buffer {
  const metadata = Buffer.allocUnsafe(METADATA_BYTES)
  metadata.writeUInt8(LAYOUT, 0)
  metadata.writeUInt32BE(version, VERSION_AT)
  return metadata
}

/** The version that metadata name; `undefined` for metadata of another form. */
export const versionInMetadata = (metadata: Buffer): number | undefined =>
  metadata.length === METADATA_BYTES && metadata[0] === LAYOUT ? metadata.readUInt32BE(VERSION_AT) : undefined
