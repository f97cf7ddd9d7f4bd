import {
  DAY_MS,
  HOUR_MS,
  type DerivationMode,
  type HeldOrganization,
  type HeldSecret,
  type SecretType,
} from '../state/held.ts'

/** The platform's rules for a type of secrets. */
interface TypeRule {
  /** Least time between two secrets, in production and in a sandbox. */
  readonly interval: { readonly production: number; readonly sandbox: number }
  /** Whether uploaded material can be used without derivation. */
  readonly allowsNoDerivation: boolean
  readonly allowsUpload: boolean
  readonly allowsRemote: (organization: HeldOrganization) => boolean
  /** Whether secrets can be destroyed, exported and imported, and count for the limit. */
  readonly isManaged: boolean
}

const usual: TypeRule = {
  interval: { production: DAY_MS, sandbox: 4 * HOUR_MS },
  allowsNoDerivation: true,
  allowsUpload: true,
  allowsRemote: () => true,
  isManaged: true,
}

export const RULES: Readonly<Record<SecretType, TypeRule>> = {
  Data: usual,
  DeterministicData: { ...usual, interval: { production: 7 * DAY_MS, sandbox: 4 * HOUR_MS } },
  EventBus: { ...usual, interval: { production: 7 * DAY_MS, sandbox: 7 * DAY_MS } },
  Analytics: { ...usual, allowsNoDerivation: false },
  SearchIndex: {
    ...usual,
    interval: { production: 7 * DAY_MS, sandbox: 7 * DAY_MS },
    allowsNoDerivation: false,
    allowsRemote: ({ settings }) => !settings.isHyperforce,
  },
  Database: {
    ...usual,
    interval: { production: 90 * DAY_MS, sandbox: 90 * DAY_MS },
    ...{ allowsNoDerivation: false, allowsUpload: false, allowsRemote: () => false, isManaged: false },
  },
}

/** Active and archived secrets of a type that an organization can have. */
export const MOST_OF_A_TYPE = 50
/** Last version of the API in which search keys of Hyperforce organizations are tenant secrets. */
export const LAST_SEARCH_SECRETS = 62
export const MODES: readonly DerivationMode[] = ['PBKDF2', 'NONE']

/** Whether the least times between secrets are kept. */
export type Intervals = 'real' | 'off'

/** The fields that its source adds to a new secret. */
export type Origin = Pick<HeldSecret, 'mode'> & Partial<HeldSecret>
