import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../wire/body.ts'
import type { Caller } from './caller.ts'

/** Additional claims that vaults require of tokens. */
export interface Challenges {
  /**
   * @param claims JSON, such as `{"access_token":{"nbf":{"essential":true,"value":"1"}}}`; `undefined` ends the demand
   */
  readonly demand: (vault: string, claims: string | undefined) => void
  /** The required claims that were missing in the request for a caller's token. */
  readonly unmet: (vault: string, caller: Caller) => string | undefined
}

/** Members of `access_token`; clients merge their own claims with those of a challenge. */
function claimsIn(json: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(json ?? '{}')
    return isObject(parsed) && isObject(parsed.access_token) ? parsed.access_token : {}
  } catch {
    return {}
  }
}

export function createChallenges(): Challenges {
  const demanded = new Map<string, string>()
  return {
    demand: (vault, claims) => {
      if (claims === undefined) demanded.delete(vault)
      else demanded.set(vault, claims)
    },
    unmet: (vault, caller) => {
      const wanted = demanded.get(vault)
      const given = claimsIn(caller.claims)
      const isMet = Object.entries(claimsIn(wanted)).every(([name, value]) => isDeepStrictEqual(given[name], value))
      return isMet ? undefined : wanted
    },
  }
}
