import { Refusal } from '../../base/errors.ts'
import type { Context } from '../../http/context.ts'
import { decide } from '../../http/decisions.ts'
import type { Entity } from '../../store/entity.ts'
import { ifIntact } from '../../store/salvage.ts'

/** A family of records that a call on their container changes or deletes. */
interface Members<T extends { readonly uri: string }, R> {
  readonly entity: Pick<Entity<T, R>, 'getMany' | 'membersAfter'>
  readonly family: string
  /** which of them it concerns; default all */
  readonly concerned?: (record: T) => boolean
  /** the action of the single call that does the same to one */
  readonly action: string
}

const PAGE = 100

/**
 * Refuses a call on a container while policies deny the caller the single call on one of its records. Records are read only
 * where a policy denies some; of a damaged one the stored fields decide.
 * @throws Refusal ACTION_DENIED; DAMAGED for a record without its uri, which no policy can be compared with
 */
export async function assertMayEach<T extends { readonly uri: string }, R>(
  { caller, now }: Pick<Context, 'caller' | 'now'>,
  { entity, family, concerned = () => true, action }: Members<T, R>,
): Promise<void> {
  const domain = caller.domain.id
  const { isSame, refusalOf } = await decide(caller, { action, may: 'keymgr-users' }, now)
  if (isSame && refusalOf({ uri: '' }) === undefined) return
  let after: string | undefined
  do {
    const members = await entity.membersAfter(domain, family, after, PAGE)
    const ids = members.map(({ id }) => id)
    for (const { item, damage } of await entity.getMany(domain, ids, 'salvage')) {
      const record = damage?.was ?? item
      if (typeof record.uri !== 'string')
        throw new Refusal('DAMAGED', `The stored record ${damage?.id} is damaged in uri.`)
      const refusal = ifIntact(damage, () => concerned(record), true) ? refusalOf(record) : undefined
      if (refusal !== undefined) throw refusal
    }
    after = members.length < PAGE ? undefined : members.at(-1)?.key
  } while (after !== undefined)
}
