import { machineTime } from '../../base/clock.ts'
import { defined } from '../../base/fields.ts'
import { accountOf, resourceUri, uuid } from '../../base/ids.ts'
import { isObject } from '../../base/json.ts'
import { shortText } from '../../base/short-text.ts'
import type { Caller } from '../context.ts'
import type { AuditRecord } from './model.ts'

/** The content of an audit record, apart from its id, domain and time. */
export type AuditEvent = Pick<
  AuditRecord,
  'severity' | 'service' | 'message' | 'username' | 'clientIP' | 'success' | 'errorMessage' | 'details' | 'principal'
> & { readonly requestId?: string | undefined }

/** Ours: a larger record is shortened. The table's limit for an item is 400 KB, the bus's limit for an event 256 KB. */
const RECORD_BYTES = 128 * 1024
const TEXT_CHARACTERS = 2_048

const fits = (record: AuditRecord): boolean => Buffer.byteLength(JSON.stringify(record)) <= RECORD_BYTES

/** A JSON value whose texts are shortened. */
function withShortTexts(value: unknown): unknown {
  if (typeof value === 'string') return shortText(value, TEXT_CHARACTERS)
  if (Array.isArray(value)) return value.map(withShortTexts)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withShortTexts(each)]))
}

/**
 * The record, if it is small enough for table and bus. Otherwise its texts are shortened, and if that is not
 * sufficient, its details keep only action and resource; `details.shortened` marks it.
 */
export function fitted<R extends AuditRecord>(record: R): R {
  if (fits(record)) return record
  const cut = withShortTexts(record) as R // texts remain texts
  const short = { ...cut, details: { ...cut.details, shortened: true } }
  if (fits(short)) return short
  const { action, key, resource_uri, resource_name, unrecorded } = cut.details
  return { ...cut, details: { action, key, resource_uri, resource_name, unrecorded, shortened: true } }
}

/** The actor in a record. */
export const principalOf = ({
  sub,
  groups,
  client,
  publicClientId,
}: Pick<Caller, 'sub' | 'groups' | 'client' | 'publicClientId'>): AuditRecord['principal'] => ({
  sub,
  groups: [...groups],
  ...defined({ client_id: client?.id ?? publicClientId }),
})

/** The author of records of work that no caller asked for: the service itself. */
export const OWN_WORK = { username: '', clientIP: '', principal: { sub: 'keymgr', groups: [] } }

/** Author of records of the deployment's operator, who has no log-in. */
const OPERATOR = { username: '', clientIP: '', principal: { sub: 'operator', groups: [] } }

/** The record of an operator's action that overrides the rules of a domain. */
export const operatorRecord = (
  domain: string,
  now: Date,
  event: Pick<AuditEvent, 'service' | 'message' | 'details'>,
): AuditRecord => auditRecord(domain, now, { ...OPERATOR, ...event, severity: 'critical', success: true })

/**
 * Creates the audit record of an event in a domain. Without a caller's request, the record's id is its request id.
 * @param id of an event that may be reported twice but must have one record
 */
export function auditRecord(
  domain: string,
  now: Date,
  { requestId, ...happening }: AuditEvent,
  id = uuid(now),
): AuditRecord {
  return fitted({
    id,
    uri: resourceUri(domain, 'audit', 'records', id),
    account: accountOf(domain),
    createdAt: now.toISOString(),
    recordedAt: machineTime().toISOString(),
    source: 'dsp',
    ...happening,
    requestId: requestId ?? id,
    domain,
  })
}
