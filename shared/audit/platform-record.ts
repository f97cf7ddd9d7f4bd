import { createHash } from 'node:crypto'
import { defined } from '../base/fields.ts'
import { canonicalJson } from '../base/canonical-json.ts'
import { uuidText } from '../base/ids.ts'
import { leafHash } from '../crypto/merkle/hash.ts'
import type { AuditRecord } from '../http/audit/model.ts'

/** An audit record in the platform's format. Its mapping never changes: the leaves of the tree are hashes of it. */
export interface PlatformRecord {
  /** YYYY-MM-DD hh:mm:ss.ffffff, UTC */
  readonly time: string
  readonly tenantID: string
  readonly traceID: string
  readonly source: string
  readonly resourceid: string
  readonly actorid: string
  readonly action: string
  readonly status: 'success' | 'failed'
  readonly meta: Readonly<Record<string, unknown>>
}

/**
 * Id of the service instance of a domain: a UUID version 8 derived from the domain's id. Ours: a domain is one instance
 * for its whole lifetime.
 * @see RFC 9562 §5.8
 */
export function serviceInstanceOf(domain: string): string {
  const bytes = createHash('sha256').update(`keymgr service instance ${domain}`).digest().subarray(0, 16)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(6) & 0x0f), 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  return uuidText(bytes)
}

const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d\.\d{3})Z$/

/** Names in `meta` that fields of `details` cannot use. */
const OWN_META = new Set([
  'id',
  'uri',
  'account',
  'createdAt',
  'recordedAt',
  'severity',
  'service',
  'username',
  'clientIP',
  'errorMessage',
  'principal',
  'details',
])

/**
 * The record in the platform's format. Each stored fact of the record occurs once, in a form that never changes: a
 * change of any fact changes the result. Fields of `details` are in `meta`; those whose name is reserved there are in
 * `meta.details`.
 */
export function platformRecord(record: AuditRecord): PlatformRecord {
  const { id, uri, account, createdAt, recordedAt, severity, service, username, clientIP, errorMessage } = record
  const fields = Object.entries(record.details)
  const own = fields.filter(([name]) => OWN_META.has(name))
  const [, date, time] = TIME.exec(createdAt) ?? []
  return {
    time: date === undefined ? createdAt : `${date} ${time}000`,
    tenantID: record.domain,
    traceID: record.requestId,
    source: record.source,
    resourceid: serviceInstanceOf(record.domain),
    actorid: record.principal.sub,
    action: record.message,
    status: record.success ? 'success' : 'failed',
    meta: {
      ...Object.fromEntries(fields.filter(([name]) => !OWN_META.has(name))),
      id,
      uri,
      account,
      severity,
      service,
      username,
      clientIP,
      principal: record.principal,
      ...defined({ recordedAt, errorMessage }),
      ...(own.length > 0 && { details: Object.fromEntries(own) }),
    },
  }
}

/** The bytes of a record that are hashed, exported and proven: its platform format in canonical JSON, UTF-8. */
export const recordBytes = (record: AuditRecord): Buffer => Buffer.from(canonicalJson(platformRecord(record)))

/** The record's leaf in the tree of its domain. 32 bytes. */
export const leafOf = (record: AuditRecord): Buffer => leafHash(recordBytes(record))
