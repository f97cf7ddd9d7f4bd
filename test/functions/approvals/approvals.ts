import { randomUUID } from 'node:crypto'
import { beforeAll, expect } from 'vitest'
import type { Answered } from '../../support/service.ts'
import { useVault, type Holder, type Vault } from '../vault/vault.ts'

export const RULES = '/v1/approvals/rules'
export const REQUESTS = '/v1/approvals/requests'
export const named = (what: string): string => `${what}-${randomUUID()}`

export interface Approvals {
  readonly vault: Vault
  /** group of the approvers, and two of its members */
  readonly group: string
  readonly first: Holder
  readonly second: Holder
  /** a member of Key Admins, who is no approver */
  readonly keeper: Holder
  readonly rule: (body?: object) => Promise<any>
}

/** A domain with a group of two approvers, and someone whose calls they approve. */
export function useApprovals(): () => Approvals {
  const vault = useVault()
  let made: Approvals | undefined
  beforeAll(async () => {
    const { admin } = vault()
    const group = named('approvers')
    await admin.ok('POST', '/v1/usermgmt/groups', { name: group })
    const [first, second, keeper] = await Promise.all([
      vault().user(named('first'), [group, 'Key Admins']),
      vault().user(named('second'), [group]),
      vault().user(named('keeper'), ['Key Admins']),
    ])
    made = {
      vault: vault(),
      group,
      first: first.holder,
      second: second.holder,
      keeper: keeper.holder,
      rule: async (body = {}) => {
        const given = { name: named('rule'), actions: ['DestroyKey'], approver_groups: [group], ...body }
        const rule = await admin.ok('POST', RULES, given)
        vault().advance(5_000) // the maximum age of cached rules
        return rule
      },
    }
  })
  return () => {
    if (made === undefined) throw new Error('The approvers come with the tests')
    return made
  }
}

/** A call, for which approval can be asked. */
export interface TheCall {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

export const tryAsk = (who: Holder, { method, path, body }: TheCall, reason = 'no longer used'): Promise<Answered> =>
  who.call(method, path, body, { 'x-keymgr-approval-reason': encodeURIComponent(reason) })

export async function ask(who: Holder, call: TheCall, reason?: string): Promise<any> {
  const { status, body } = await tryAsk(who, call, reason)
  expect(status, JSON.stringify(body)).toBe(202)
  return body
}

export const use = (who: Holder, { method, path, body }: TheCall, id: string): Promise<Answered> =>
  who.call(method, path, body, { 'x-keymgr-approval': id })

export const decide = (who: Holder, id: string, what: string, body: object = {}): Promise<Answered> =>
  who.call('POST', `${REQUESTS}/${id}/${what}`, what === 'withdraw' ? undefined : body)
