import { isOfClient, type AuditRecord } from '../../http/audit/model.ts'

/** Groups of messages, by which targets can sort them. */
export type Category =
  | 'authentication'
  | 'users-groups'
  | 'domains'
  | 'certificates'
  | 'clients'
  | 'local-keys'
  | 'connections'
  | 'containers'
  | 'cloud-keys'
  | 'key-stores'
  | 'endpoints'
  | 'data-plane'
  | 'scheduler'
  | 'reports'
  | 'system'

/** Categories by the service of a record, which is the first segment of its path. */
const BY_SERVICE: Readonly<Record<string, Category>> = {
  auth: 'authentication',
  usermgmt: 'users-groups',
  domains: 'domains',
  domain: 'domains',
  ca: 'certificates',
  'client-management': 'clients',
  vault: 'local-keys',
  connectionmgmt: 'connections',
  scheduler: 'scheduler',
  xks: 'data-plane',
  ekm: 'data-plane',
  kacls: 'data-plane',
  dke: 'data-plane',
}

/** Ours: categories of records of clouds and protocols by the words of their message; the first match applies. */
const OF_CLOUDS: readonly (readonly [RegExp, Category])[] = [
  [/report/i, 'reports'],
  [/key store|credential/i, 'key-stores'],
  [/endpoint|issuer|perimeter/i, 'endpoints'],
  [/key|secret|certificate|version/i, 'cloud-keys'],
]

/** The category of a record. Records of other services, and of the service itself, are in `system`. */
export function categoryOf({ service, message }: Pick<AuditRecord, 'service' | 'message'>): Category {
  if (service !== 'keymgr') return BY_SERVICE[service] ?? 'system'
  return OF_CLOUDS.find(([words]) => words.test(message))?.[1] ?? 'containers'
}

/** Kinds of records that a forwarder can exclude. */
export const LOG_KINDS = ['server_audit_records', 'client_audit_records', 'activity_logs'] as const
export type LogKind = (typeof LOG_KINDS)[number]

/**
 * Ours: activity is the use of keys in data planes; client records are those of registered clients; all other records
 * are server records.
 */
export function logKindOf(record: AuditRecord): LogKind {
  if (categoryOf(record) === 'data-plane') return 'activity_logs'
  return isOfClient(record) ? 'client_audit_records' : 'server_audit_records'
}
