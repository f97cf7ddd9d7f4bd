import { Refusal } from '../../../base/errors.ts'
import { Stale, type Changes } from '../../../store/changes.ts'
import type { Key } from '../../../store/layout.ts'
import { getItems, text, whole } from '../../../store/table.ts'

/**
 * Number of successful registrations with a token, and the last number in a client's name, in a separate item. It is
 * only incremented, so that concurrent registrations conflict only if their names depend on it. It exists as long as
 * the token.
 */
export interface TokenUses {
  readonly uses: number
  readonly lastNumber: number
}

const keyOf = (domain: string, tokenId: string): Key => ({
  pk: `${domain}#registration-token-uses#${tokenId}`,
  sk: 'uses',
})

/** The same refusal for every invalid token, without a reason. */
export const tokenRefused = (): Refusal =>
  new Refusal('TOKEN_INVALID', 'The registration token is unknown, expired or used up.')

const unexpectedRefusal = (): Error => new Error('A write without a condition was refused')
const usedMeanwhile = (): Error => new Stale('Another client was registered with the token meanwhile')

const UNUSED: TokenUses = { uses: 0, lastNumber: 0 }

/** In the order of `tokenIds`. One read per 100. */
export async function readUses(domain: string, tokenIds: readonly string[]): Promise<TokenUses[]> {
  const items = await getItems(tokenIds.map((id) => keyOf(domain, id)))
  const found = new Map(
    items.map((item) => [text(item, 'pk'), { uses: whole(item, 'uses'), lastNumber: whole(item, 'last_number') }]),
  )
  return tokenIds.map((id) => found.get(keyOf(domain, id).pk) ?? UNUSED)
}

export function beginUses(changes: Changes, domain: string, tokenId: string): void {
  const { pk, sk } = keyOf(domain, tokenId)
  const none = { N: '0' }
  changes.plan({ put: { pk: { S: pk }, sk: { S: sk }, uses: none, last_number: none } }, unexpectedRefusal)
}

export const forgetUses = (changes: Changes, domain: string, tokenId: string): void =>
  changes.plan({ remove: keyOf(domain, tokenId) }, unexpectedRefusal)

interface Use {
  /** maximum number of registrations with the token */
  readonly most: number | undefined
  /** the number in the client's name, and the last number before it */
  readonly number?: { readonly from: number; readonly to: number } | undefined
}

/**
 * Stages one more registration. The commit fails with TOKEN_INVALID if the token is used up or deleted; if the name
 * contains a number, with `Stale`.
 */
export function countUse(changes: Changes, domain: string, tokenId: string, { most, number }: Use): void {
  const conditions = [
    'attribute_exists(pk)',
    ...(most === undefined ? [] : ['uses < :most']),
    ...(number === undefined ? [] : ['last_number = :from']),
  ]
  changes.plan(
    {
      update: keyOf(domain, tokenId),
      expression: number === undefined ? 'ADD uses :one' : 'SET last_number = :to ADD uses :one',
      condition: conditions.join(' AND '),
      values: {
        ':one': { N: '1' },
        ...(most !== undefined && { ':most': { N: String(most) } }),
        ...(number !== undefined && { ':from': { N: String(number.from) }, ':to': { N: String(number.to) } }),
      },
    },
    number === undefined ? tokenRefused : usedMeanwhile,
  )
}
