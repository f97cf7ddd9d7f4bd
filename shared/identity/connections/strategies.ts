import { ruleBroken } from '../../base/errors.ts'
import type { Fields } from '../../base/json.ts'
import type { TestStep } from '../../http/connection-test.ts'
import type { Strategy } from './strategy-names.ts'
import type { StoredLoginConnection } from './store.ts'

/** A directory or provider that cannot be used. `message` is for administrators, without secrets and raw replies. */
export class NotReached extends Error {
  override readonly name: string = 'NotReached'
  readonly step: TestStep

  constructor(message: string, { step = 'address', ...options }: ErrorOptions & { readonly step?: TestStep } = {}) {
    super(message, options)
    this.step = step
  }
}

/** Its answers are unusable until its administrators mend them. The message is for every caller. */
export class Misdescribed extends NotReached {
  override readonly name = 'Misdescribed'
}

/** The strategy-specific part of connections. */
export interface StrategyKind {
  /** the field of its body with the secret */
  readonly secretField: 'bind_password' | 'client_secret'
  /** fields that determine who receives the secret */
  readonly toldBy: readonly string[]
  /** @throws Refusal RULE_BROKEN for an inconsistent combination of fields */
  readonly check: (connection: StoredLoginConnection, hasSecret: boolean) => Promise<void>
  /** Uses it as for a log-in, without a user. @throws NotReached */
  readonly test: (connection: StoredLoginConnection, secret: string | undefined) => Promise<void>
}

/** Each is loaded when it is first used. */
const KINDS: Readonly<Record<Strategy, () => Promise<StrategyKind>>> = {
  ldap: async () => (await import('./ldap/kind.ts')).ldapKind,
  oidc: async () => (await import('./oidc/kind.ts')).oidcKind,
}

export const strategyKind = (strategy: Strategy): Promise<StrategyKind> => KINDS[strategy]()

/** The strategy-specific fields of a connection. */
export const ownFields = (connection: Pick<StoredLoginConnection, Strategy | 'strategy'>): Fields => ({
  ...connection[connection.strategy],
})

/** A field of a strategy that breaks a rule. */
export const ownRuleBroken = (strategy: Strategy, field: string, detail: string) =>
  ruleBroken(field, detail, `#/${strategy}/${field}`)
