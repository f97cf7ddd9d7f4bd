import { uuidOf } from '../../base/ids.ts'
import type { AuditRecord } from '../../http/audit/model.ts'
import type { AlarmConfig } from './model.ts'
import type { Threshold } from './windows.ts'

const HOUR_SECONDS = 3_600
const WEEK_SECONDS = 7 * 86_400

/** A rule that every domain has. */
export interface BuiltinRule extends Threshold {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly severity: AlarmConfig['severity']
  readonly holds: (record: AuditRecord) => boolean
  /** the subject for which records are counted separately; absent: all records are counted together */
  readonly subjectOf?: (record: AuditRecord) => string
  /** whether a record resets the count */
  readonly endsRow?: (record: AuditRecord) => boolean
}

type Described = Omit<BuiltinRule, 'id' | keyof Threshold> & Partial<Threshold>

/** Its id is derived from its name, and is the same in every deployment. */
const builtin = (rule: Described): BuiltinRule => ({
  threshold: 1,
  interval: HOUR_SECONDS,
  ...rule,
  id: uuidOf(new Date(0), `built-in alarm rule ${rule.name}`),
})

const named = (record: AuditRecord, ...messages: readonly string[]): boolean => messages.includes(record.message)
/**
 * Failures of the service or of a cloud. Refusals of callers do not count, since anyone with a token could cause them.
 */
const isFailure = ({ success, severity }: AuditRecord): boolean =>
  !success && (severity === 'error' || severity === 'critical')
const failed = (record: AuditRecord, ...messages: readonly string[]): boolean =>
  isFailure(record) && named(record, ...messages)
/** The containers of a synchronization. */
const containersOf = ({ details: { after = {} } }: AuditRecord): string =>
  JSON.stringify([after.source, after.containers])

/** Rules that every domain has, by the messages of audit records. */
export const BUILTIN_RULES: readonly BuiltinRule[] = [
  builtin({
    name: 'Connection test failed',
    description: 'A connection to a cloud was tested and does not work.',
    severity: 'error',
    holds: (record) =>
      record.success && named(record, 'Test Connection') && record.details.after?.connection_ok === false,
  }),
  builtin({
    name: 'Synchronization failed three times',
    description: 'The same containers could not be synchronized three times in a row.',
    severity: 'error',
    threshold: 3,
    interval: WEEK_SECONDS,
    holds: (record) => failed(record, 'Finish Synchronization'),
    subjectOf: containersOf,
    endsRow: (record) => record.success && named(record, 'Finish Synchronization'),
  }),
  builtin({
    name: 'Key expires',
    description: 'A key of a cloud expires within the notice period of the settings.',
    severity: 'warning',
    holds: (record) => named(record, 'Notice Key Expiry'),
  }),
  builtin({
    name: 'Key destroyed by its cloud',
    description: 'A cloud reports a key that stays here as destroyed, and no caller of this service destroyed it.',
    severity: 'error',
    holds: (record) => named(record, 'Notice Destroyed Key'),
  }),
  builtin({
    name: 'Key store failed',
    description: 'A cloud reports a key store as FAILED.',
    severity: 'critical',
    holds: ({ success, message, details: { after } }) =>
      success && message.includes('Key Store') && after?.connection_state === 'FAILED',
  }),
  builtin({
    name: 'Credential rotation failed',
    description: 'Credentials by which a cloud calls this service could not be replaced.',
    severity: 'error',
    holds: (record) => isFailure(record) && /^Rotate .*Credential/.test(record.message),
  }),
  builtin({
    name: 'Forwarder unreachable',
    description: 'Audit records could not be delivered in several attempts in a row, or were dropped after 24 hours.',
    severity: 'error',
    holds: (record) => named(record, 'Find Forwarder Unreachable', 'Drop Forwarded Records'),
  }),
  builtin({
    name: 'Domain key rotation failed',
    description: 'The key of a domain could not be rotated, or something it sealed not be sealed again.',
    severity: 'critical',
    holds: (record) => failed(record, 'Rotate Domain Key', 'Retry Domain Key Rotation', 'Finish Domain Key Rotation'),
  }),
  builtin({
    name: 'Audit tree check failed',
    description: 'The tree of audit records and the records do not agree: a record was altered or removed.',
    severity: 'critical',
    holds: (record) => failed(record, 'Check Audit Tree'),
  }),
  builtin({
    name: 'Canary key used',
    description: 'A key without a legitimate use was used, or a use of it was refused.',
    severity: 'critical',
    holds: ({ details: { canary } }) => canary !== undefined,
    subjectOf: ({ details: { canary = '' } }) => canary,
  }),
  builtin({
    name: 'Administrator recovered',
    description: 'The password of an administrator was replaced by the operator of the deployment.',
    severity: 'critical',
    holds: (record) => named(record, 'Recover Administrator'),
  }),
  builtin({
    name: 'Approval rule overridden',
    description: 'The operator of the deployment deleted an approval rule without the approval that it asks for.',
    severity: 'critical',
    holds: (record) => named(record, 'Override Approval Rule'),
  }),
]
