import { createFaultRules, type Counted, type FaultRules, type UsualFault } from '../../toolkit/fault-rules.ts'
import { ServiceError } from '../../toolkit/service-error.ts'

/** One call in the request log. */
export interface SimulatedCall {
  readonly service: string
  readonly operation: string
  readonly region: string | undefined
  /** Account of the signer; unknown when the signature was refused. */
  readonly account: string | undefined
  /** The user or the role. */
  readonly principal: string | undefined
  /** Without key material, plaintexts and passwords. */
  readonly input: Readonly<Record<string, unknown>>
  /** The name of the refusal, if it was refused. */
  readonly refused?: string
}

/** The calls that a fault affects. */
interface FaultPlace extends Counted {
  /** `kms`, `sts`, `account`, `iam`, `logs`, `cloudhsm`; default: all of them. */
  readonly service?: string
  readonly operation?: string
  readonly account?: string
  readonly region?: string
  /** Restricts the rule to calls whose whole input satisfies this. */
  readonly when?: (input: Readonly<Record<string, unknown>>) => boolean
}

/** `throttle`, and `quota` for a limit that waiting does not lift: refusals of the service, without an effect. */
export type CloudFault = FaultPlace & (UsualFault<SimulatedCall> | { readonly fault: 'throttle' | 'quota' })

type Input = Readonly<Record<string, unknown>>
export type Faults = FaultRules<CloudFault, [call: SimulatedCall, input: Input]>

export const createFaults = (): Faults =>
  createFaultRules((rule, call, input) => looksAt(rule, call) && rule.when?.(input) !== false)

const PLACES = ['service', 'operation', 'account', 'region'] as const

const looksAt = (rule: CloudFault, call: SimulatedCall): boolean =>
  PLACES.every((place) => rule[place] === undefined || rule[place] === call[place])

/** The refusals that faults cause, under names that the services' protocols know. */
const REFUSALS: Partial<Readonly<Record<CloudFault['fault'], () => ServiceError>>> = {
  throttle: () => throttled(),
  quota: () => new ServiceError('LimitExceededException', 'A quota of the account is used up.'),
  'server-error': () =>
    new ServiceError('InternalFailure', 'The request was rejected because of an internal error.', 500),
  'access-denied': () => new ServiceError('AccessDeniedException', 'You are not authorized to perform this operation.'),
  'expired-credentials': () =>
    new ServiceError('ExpiredTokenException', 'The security token included in the request is expired'),
}

export const throttled = (): ServiceError =>
  new ServiceError(
    'ThrottlingException',
    'You have exceeded the rate at which you may call KMS. Reduce the frequency of your calls.',
  )

/** @throws ServiceError of the first rule that is a refusal */
export function refuseBy(rules: readonly CloudFault[]): void {
  for (const { fault } of rules) {
    const refusal = REFUSALS[fault]
    if (refusal !== undefined) throw refusal()
  }
}
