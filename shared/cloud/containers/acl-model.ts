import * as z from 'zod'
import { isObject } from '../../base/json.ts'
import { UserId } from '../../http/common-fields.ts'
import { withRules, type Rule } from '../../http/rules.ts'
import { object, strictObject } from '../../base/lazy-fields.ts'

/** The actions of one user or one group on a container. */
export const Acl = object(() => ({
  user_id: z.string().optional(),
  group: z.string().optional(),
  actions: z.array(z.string()),
}))
export type Acl = z.infer<typeof Acl>

const userOrGroup: Rule = {
  message: 'each of acls names either user_id or group',
  field: 'acls',
  broken: ({ acls }) =>
    Array.isArray(acls) &&
    acls.some((one) => isObject(one) && (one.user_id === undefined) === (one.group === undefined)),
}

const Change = <const A extends readonly [string, ...string[]]>(actions: A) =>
  strictObject(() => ({
    user_id: UserId.optional(),
    group: z.string().min(1).max(255).optional(),
    permit: z.boolean(),
    actions: z.array(z.enum(actions)).min(1).max(actions.length),
  }))

/** Body that permits or revokes actions, one entry for each user or group. */
export const UpdateAcls = <const A extends readonly [string, ...string[]]>(actions: A) =>
  withRules(
    strictObject(() => ({ acls: z.array(Change(actions)).min(1).max(100) })),
    userOrGroup,
  )
export interface AclChange {
  readonly user_id?: string | undefined
  readonly group?: string | undefined
  readonly permit: boolean
  readonly actions: readonly string[]
}
export interface UpdateAcls {
  readonly acls: readonly AclChange[]
}
