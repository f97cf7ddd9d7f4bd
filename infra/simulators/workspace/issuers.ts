import { byName, namesOf } from '../toolkit/by-name.ts'
import { createTokenKeys, type TokenKeys } from '../toolkit/token-keys.ts'
import { OWNER_DOMAIN } from './directory.ts'

const AUDIENCE = 'cse-authorization'

const ACCOUNTS = 'system.gserviceaccount.com'

/** Issuers of authorizations: a service account per application, and one for migrations between key services. */
export const ISSUERS = {
  drive: `gsuitecse-tokenissuer-drive@${ACCOUNTS}`,
  meet: `gsuitecse-tokenissuer-meet@${ACCOUNTS}`,
  calendar: `gsuitecse-tokenissuer-calendar@${ACCOUNTS}`,
  gmail: `gsuitecse-tokenissuer-gmail@${ACCOUNTS}`,
  migration: `apps-security-cse-kaclscommunication@${ACCOUNTS}`,
} as const

export type IssuerName = keyof typeof ISSUERS
export const ISSUER_NAMES = namesOf(ISSUERS)

/** The issuers of the suite, each with its own keys. */
export interface Issuers {
  readonly of: Readonly<Record<IssuerName, TokenKeys>>
  /** An authorization with these claims in addition to its issuer, audience and times. */
  readonly issue: (name: IssuerName, claims: object) => Promise<string>
}

/** @param now milliseconds since the epoch */
export function createIssuers(now: () => number): Issuers {
  const of = byName(ISSUER_NAMES, (name) => createTokenKeys(`workspace ${name}`, now)) // the loop made one for each name
  return {
    of,
    issue: (name, claims) =>
      of[name].issue({ iss: ISSUERS[name], aud: AUDIENCE, kacls_owner_domain: OWNER_DOMAIN, ...claims }),
  }
}
