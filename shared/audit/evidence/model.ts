import * as z from 'zod'
import { Time } from '../../http/common-fields.ts'
import { anyTexts, integer, listQuery, oneText } from '../../http/lists/list-query.ts'
import { object, strictObject } from '../../base/lazy-fields.ts'

const Hash = z.string().meta({ description: 'SHA-256, 64 hex digits' })
const Size = z.int().meta({ description: 'number of records in the tree' })

export const AuditTreeHead = object(() => ({
  size: Size,
  root: Hash,
  createdAt: Time.meta({ description: 'when it was signed' }),
  jws: z.string().meta({ description: 'compact JWS (ES256) over iss, domain, size, root and time' }),
}))
export type AuditTreeHead = z.infer<typeof AuditTreeHead>

/** Ours: `domain` as for the records: auditors of the root domain may name a child domain. */
const ofDomain = anyTexts('domain')

export const HeadQuery = listQuery(AuditTreeHead, () => ofDomain)
export type HeadQuery = z.infer<typeof HeadQuery>

export const EvidenceKeyQuery = z.strictObject(ofDomain)

export const InclusionQuery = strictObject(() => ({
  record: oneText(z.uuid()),
  size: integer(1).optional(),
  ...ofDomain,
}))
export type InclusionQuery = z.infer<typeof InclusionQuery>

const Path = z.array(Hash).meta({ description: 'hashes of the proof, in the order of RFC 9162, 2.1.3.1 and 2.1.4.1' })
const Root = object(() => ({
  size: Size,
  root: Hash,
  head: z.string().optional().meta({ description: 'signed head of exactly this size, if there is one' }),
}))

export const InclusionProof = object(() => ({
  record: z.uuid(),
  position: z.int().meta({ description: 'index of its leaf, from 0' }),
  leaf: Hash,
  record_bytes: z
    .base64()
    .meta({ description: 'the bytes of the leaf: the record in the form of exports, in canonical JSON' }),
  tree: Root,
  path: Path,
  signed: z.object({ size: Size, root: Hash, head: z.string(), path: Path }).optional().meta({
    description:
      'a later tree with its signed head, and the proof that it begins with this one; where this one has no head',
  }),
}))
export type InclusionProof = z.infer<typeof InclusionProof>

export const ConsistencyQuery = strictObject(() => ({
  from: integer(1),
  to: integer(1).optional(),
  ...ofDomain,
}))
export type ConsistencyQuery = z.infer<typeof ConsistencyQuery>

export const ConsistencyProof = z.object({ from: Root, to: Root, path: Path })
export type ConsistencyProof = z.infer<typeof ConsistencyProof>
