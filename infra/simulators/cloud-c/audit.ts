import { randomBytes } from 'node:crypto'
import type { Caller, Route } from './call.ts'
import type { ApiError } from './errors.ts'
import { projectOf, type HeldEntry } from './held.ts'

const LOGS: Readonly<Record<NonNullable<Route['audit']>, string>> = {
  ADMIN_WRITE: 'activity',
  ADMIN_READ: 'data_access',
  DATA_READ: 'data_access',
}

/** The monitored resource of an entry. */
function resourceOf(name: string): HeldEntry['resource'] {
  const [, project = '', , location = '', , ring, , item, , version] = name.split('/')
  const isKey = name.includes('/cryptoKeys/')
  return {
    type: isKey
      ? version === undefined
        ? 'cloudkms_cryptokey'
        : 'cloudkms_cryptokeyversion'
      : ring === undefined
        ? 'audited_resource'
        : 'cloudkms_keyring',
    labels: {
      project_id: project,
      ...(location !== '' && { location }),
      ...(ring !== undefined && { key_ring_id: ring }),
      ...(isKey && item !== undefined && { crypto_key_id: item }),
      ...(isKey && version !== undefined && { crypto_key_version_id: version }),
    },
  }
}

let entriesMade = 0

/** The cloud's timestamps have nanoseconds; here they follow the order of the entries within a millisecond. */
function withNanoseconds(now: number): string {
  entriesMade = (entriesMade + 1) % 1_000_000
  return new Date(now).toISOString().replace('Z', `${String(entriesMade).padStart(6, '0')}Z`)
}

/** The entry of a call in the log of its project. @param refused error of a refused call */
export function auditEntry(
  { operation, audit, permission }: Pick<Route, 'operation' | 'permission'> & Required<Pick<Route, 'audit'>>,
  { resource, caller, now, refused }: { resource: string; caller: Caller; now: number; refused: ApiError | undefined },
): HeldEntry {
  const timestamp = withNanoseconds(now)
  return {
    insertId: randomBytes(8).toString('hex'),
    logName: `projects/${projectOf(resource)}/logs/cloudaudit.googleapis.com%2F${LOGS[audit]}`,
    timestamp,
    receiveTimestamp: timestamp,
    severity: refused === undefined ? (audit === 'ADMIN_WRITE' ? 'NOTICE' : 'INFO') : 'ERROR',
    resource: resourceOf(resource),
    protoPayload: {
      '@type': 'type.googleapis.com/google.cloud.audit.AuditLog',
      serviceName: 'cloudkms.googleapis.com',
      methodName: operation,
      resourceName: resource,
      authenticationInfo: { principalEmail: caller.email },
      requestMetadata: { callerIp: '127.0.0.1' },
      authorizationInfo: [{ resource, permission, granted: refused?.code !== 'PERMISSION_DENIED' }],
      status: refused === undefined ? {} : { code: refused.number, message: refused.message },
    },
  }
}
