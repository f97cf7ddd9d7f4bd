import { NUMBERED_REASONS } from '../justification-reasons.ts'
import type { EkmRecord } from './admit.ts'
import type { Fields } from '../../../base/json.ts'
import { enumIn, flagIn, objectIn, textIn } from './message.ts'

/** The context that a caller claims. It is recorded and passed to the policy, but proves nothing. */
export interface RequestContext {
  /** why the data is used; `undefined` when the cloud does not know */
  readonly reason: string | undefined
  readonly resourceName: string
  readonly fullResourceName: string
  readonly isKeyHealthCheck: boolean
}

const [UNSPECIFIED] = NUMBERED_REASONS

const NAME_CHARACTERS = 1_024
const REASON_CHARACTERS = 128

/** Ours: a number that the cloud has not published becomes its digits, which no policy can list. */
function reasonOf(given: string | number | undefined): string {
  if (given === undefined || given === '') return UNSPECIFIED
  if (typeof given === 'number') return NUMBERED_REASONS[given] ?? String(given)
  return given.slice(0, REASON_CHARACTERS)
}

/** @throws EkmRefusal INVALID_ARGUMENT for a malformed context */
export function readContext(fields: Fields): RequestContext {
  const context = objectIn(fields, 'additionalContext') ?? {}
  const access = objectIn(context, 'accessReasonContext')
  return {
    reason: access && reasonOf(enumIn(access, 'reason')),
    resourceName: textIn(context, 'relativeResourceName', NAME_CHARACTERS),
    fullResourceName: textIn(context, 'fullResourceName', NAME_CHARACTERS),
    isKeyHealthCheck: flagIn(context, 'isKeyHealthCheck'),
  }
}

/** Adds the claimed context to the record. */
export function recordContext(record: EkmRecord, context: RequestContext): void {
  record.reason = context.reason
  record.resource = context.resourceName || undefined
  record.fullResource = context.fullResourceName || undefined
  record.healthCheck = context.isKeyHealthCheck || undefined
}
