import type { SimulatedAccount } from './accounts.ts'

/** Who calls, once the signature is known to be right. */
export interface Caller {
  readonly account: SimulatedAccount
  /** Of the user, or of the session of a role. */
  readonly arn: string
  /** What policies name: the user, or the role whatever the session. */
  readonly principalArn: string
  /** As GetCallerIdentity shows it. */
  readonly userId: string
  /** Whose signature it was: of the user, or of the session. */
  readonly accessKeyId: string
  /** Of the credential scope. */
  readonly region: string
}
