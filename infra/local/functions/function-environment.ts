import { LOOPBACK_CA } from '../../../shared/base/network/guarded-fetch.ts'
import { MOVABLE_CLOCK } from '../../../shared/base/clock.ts'
import { LOGIN_LOOPBACK } from '../../../shared/identity/connections/loopback.ts'
import { FLOWS } from '../../flows.ts'
import {
  FUNCTION_ENVIRONMENT,
  JOB_SCHEDULES,
  OBJECT_ENVIRONMENT,
  OBJECT_GRANTS,
  SCHEDULE_ENVIRONMENT,
  TLS_URL,
} from '../../functions.ts'
import type { FunctionRow } from '../../functions.ts'
import { LOCAL_NAMES } from '../stand-ins/account.ts'
import type { StandIns } from '../stand-ins/stand-ins.ts'

interface Running extends Pick<StandIns, 'kms' | 'step_functions'> {
  readonly rootKeyId: string
  readonly baseUrl: string
  readonly tlsBaseUrl?: string | undefined
  /** PEM of the issuer of its certificate, when that is self-made */
  readonly anchor?: string | undefined
}

/**
 * Variables of one function besides the addresses: names of the resources that its grants allow, as in the deployed
 * stack.
 */
export function functionEnvironment(
  { grants }: FunctionRow,
  { kms, step_functions, rootKeyId, baseUrl, tlsBaseUrl, anchor }: Running,
): Readonly<Record<string, string>> {
  const machines = (isTold: (flow: string) => boolean) =>
    Object.fromEntries(
      FLOWS.filter(({ name }) => isTold(name)).map(({ name, variable }) => [variable, step_functions.arnOf(name)]),
    )
  return {
    [FUNCTION_ENVIRONMENT.table]: LOCAL_NAMES.table,
    [FUNCTION_ENVIRONMENT.rootKey]: kms.keyArn(rootKeyId),
    [FUNCTION_ENVIRONMENT.bus]: LOCAL_NAMES.bus,
    [FUNCTION_ENVIRONMENT.baseUrl]: baseUrl,
    ...(tlsBaseUrl !== undefined && { [TLS_URL]: tlsBaseUrl }),
    ...(anchor !== undefined && { [LOOPBACK_CA]: anchor }),
    [MOVABLE_CLOCK]: 'true',
    [LOGIN_LOOPBACK]: 'allowed',
    ...(grants.includes('starts-flows') && machines(() => true)),
    ...(grants.includes('keeps-schedules') && {
      ...machines((name) => name === JOB_SCHEDULES.flow),
      [SCHEDULE_ENVIRONMENT.group]: JOB_SCHEDULES.group,
      [SCHEDULE_ENVIRONMENT.role]: LOCAL_NAMES.scheduleRole,
      [SCHEDULE_ENVIRONMENT.deadLetters]: LOCAL_NAMES.deadLetters,
    }),
    ...(grants.some((grant) => OBJECT_GRANTS.includes(grant)) && { [OBJECT_ENVIRONMENT.bucket]: LOCAL_NAMES.bucket }),
  }
}
