import type { SimulatedAccount } from '../accounts/accounts.ts'

/** A caller whose signature was verified. */
export interface Caller {
  readonly account: SimulatedAccount
  /** ARN of the user, or of a role's session. */
  readonly arn: string
  /** ARN that policies name: the user, or the role without its session. */
  readonly principalArn: string
  /** As in GetCallerIdentity. */
  readonly userId: string
  /** Access key of the user, or of the session. */
  readonly accessKeyId: string
  /** Region of the credential scope. */
  readonly region: string
}
