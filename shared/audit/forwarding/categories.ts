import { isOfClient, type AuditRecord } from '../../http/audit/model.ts'

/** Groups of messages, by which targets sort them. */
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

/** By the service of a record, the first segment of its path. */
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

/** Ours: the records of clouds and protocols are told apart by the words of their message. The first that fits decides. */
const OF_CLOUDS: readonly (readonly [RegExp, Category])[] = [
  [/report/i, 'reports'],
  [/key store|credential/i, 'key-stores'],
  [/endpoint|issuer|perimeter/i, 'endpoints'],
  [/key|secret|certificate|version/i, 'cloud-keys'],
]

/** The category of a record. Records of services without one, and of the service itself, are of `system`. */
export function categoryOf({ service, message }: Pick<AuditRecord, 'service' | 'message'>): Category {
  if (service !== 'keymgr') return BY_SERVICE[service] ?? 'system'
  return OF_CLOUDS.find(([words]) => words.test(message))?.[1] ?? 'containers'
}

/** Records that a forwarder may leave out. */
export const LOG_KINDS = ['server_audit_records', 'client_audit_records', 'activity_logs'] as const
export type LogKind = (typeof LOG_KINDS)[number]

/** Ours: activity is the use of keys by data planes; clients are the registered ones; all other records are the server's. */
export function logKindOf(record: AuditRecord): LogKind {
  if (categoryOf(record) === 'data-plane') return 'activity_logs'
  return isOfClient(record) ? 'client_audit_records' : 'server_audit_records'
}
