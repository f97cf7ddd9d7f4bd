import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../wire/body.ts'
import type { Caller } from './caller.ts'

/** Claims that vaults ask of tokens, beyond the usual ones. */
export interface Challenges {
  /** @param claims JSON, such as `{"access_token":{"nbf":{"essential":true,"value":"1"}}}`; none without */
  readonly demand: (vault: string, claims: string | undefined) => void
  /** The claims that a caller's token was not asked for with. */
  readonly unmet: (vault: string, caller: Caller) => string | undefined
}

/** Members of `access_token`; clients merge claims of their own with those of a challenge. */
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
