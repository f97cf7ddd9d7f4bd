import { createHash } from 'node:crypto'

/**
 * Digest of the fields of a key's record that derive from its cloud's description. Its place in the family of its
 * container's keys has it (`Family.digest`), so that a synchronization finds unchanged keys without their records.
 */
export const readingDigest = (fields: object): string =>
  createHash('sha256')
    .update(JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))))
    .digest('base64url')

/** The part of a versioned key's record that shows whether the cloud's description is recorded. */
interface Recorded {
  readonly gone: boolean
  readonly unread?: readonly string[] | undefined
  readonly versions_digest: string
}

/**
 * The digest of a key with versions, for its place; none while any reading would change the record.
 * @param followed fields of the record that derive from the cloud's description of the key
 */
export const versionedDigest = (
  { gone, unread, versions_digest }: Recorded,
  followed: object,
): { readonly digest?: string } =>
  gone || unread !== undefined ? {} : { digest: readingDigest({ ...followed, versions_digest }) }
