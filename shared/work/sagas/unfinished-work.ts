import * as z from 'zod'
import { defined } from '../../base/fields.ts'
import { notThere, Refusal } from '../../base/errors.ts'
import { resourceUri } from '../../base/ids.ts'
import { Time, Uuid } from '../../http/common-fields.ts'
import type { Context } from '../../http/context.ts'
import { assertIfMatch } from '../../resource/if-match.ts'
import { listQuery } from '../../http/lists/list-query.ts'
import { listed, type ResourceList } from '../../resource/listed.ts'
import type { Route } from '../../http/operation.ts'
import { isKeymgrAdmin } from '../../http/permission.ts'
import { routesOn } from '../../resource/routes.ts'
import type { Stored } from '../../store/entity.ts'
import { isLeased } from '../../store/lease.ts'
import { object } from '../../base/lazy-fields.ts'
import { workRowNamed } from '../work-row.ts'
import type { AnySagaKind } from './saga.ts'
import { isOpen, sagas, type StoredSaga } from './store.ts'
import { giveUpSaga } from './try.ts'

const STATES = ['open', 'undoing', 'undone', 'given_up'] as const

/** A saga as callers see it, until it is finished. After it was abandoned it stays visible for a day. */
const UnfinishedWork = object(() => ({
  id: Uuid.meta({ description: 'a key that the work creates carries it as a tag' }),
  uri: z.string(),
  operation: z.string().meta({ description: 'summary of the request that began the work' }),
  state: z.enum(STATES),
  subject_id: z.string().meta({ description: 'record that no other work may change meanwhile' }),
  container_id: z.string().optional(),
  waits_for: z.string().optional().meta({ description: "the cloud's refusal of our credentials" }),
  left_at_cloud: z.record(z.string(), z.string()).meta({
    description:
      'lasting steps at the cloud, each with the id of its result. Of work that is undone, they are reversed or on record. ' +
      'A call whose answer was lost may have had an effect besides.',
  }),
  username: z.string(),
  createdAt: Time,
}))
type UnfinishedWork = z.infer<typeof UnfinishedWork>

const UnfinishedWorkQuery = listQuery(UnfinishedWork, () => ({}))

const kindsOf = async (cloud: string): Promise<ReadonlyMap<string, AnySagaKind>> =>
  new Map((await workRowNamed(cloud)?.sagas?.())?.map((kind) => [kind.name, kind]))

function leftBy(lasting: readonly string[], { steps }: StoredSaga): UnfinishedWork['left_at_cloud'] {
  const done = lasting.filter((step) => Object.hasOwn(steps, step))
  return Object.fromEntries(done.map((step) => [step, typeof steps[step] === 'string' ? steps[step] : 'done']))
}

/** The unfinished work of one cloud. Ours: administrators see all of it, other users the work that they initiated. */
function workOf(cloud: string) {
  const present = (lasting: readonly string[] | undefined, item: StoredSaga): UnfinishedWork => ({
    id: item.id,
    uri: resourceUri(item.initiator.domain.id, 'keymgr', `${cloud}-unfinished-work`, item.id),
    operation: item.summary,
    state: z.enum(STATES).parse(item.state),
    subject_id: item.subject,
    ...defined({ container_id: item.container, waits_for: item.waits }),
    left_at_cloud: leftBy(lasting ?? [], item),
    username: item.initiator.username,
    createdAt: item.createdAt,
  })
  async function find({ caller }: Context, id: string): Promise<{ stored: Stored<StoredSaga>; kind: AnySagaKind }> {
    const stored = await sagas.get(caller.domain.id, id)
    const kind = stored && (await kindsOf(cloud)).get(stored.item.kind)
    const isSeen = isKeymgrAdmin(caller) || stored?.item.initiator.sub === caller.sub
    if (stored === undefined || kind === undefined || stored.item.state === 'finished' || !isSeen)
      throw notThere('There is no such unfinished work.')
    return { stored, kind }
  }
  return {
    list: async (
      { caller }: Context,
      query: z.output<typeof UnfinishedWorkQuery>,
    ): Promise<ResourceList<UnfinishedWork>> => {
      const kinds = await kindsOf(cloud)
      return listed(sagas, caller.domain.id, query, {
        served: 'all',
        filters: {
          kind: [...kinds.keys()],
          state: STATES,
          ...(!isKeymgrAdmin(caller) && { by: [caller.sub] }),
        },
        present: ({ item }) => present(kinds.get(item.kind)?.lasting, item),
      })
    },
    get: async (context: Context, id: string): Promise<Stored<UnfinishedWork>> => {
      const { stored, kind } = await find(context, id)
      return { item: present(kind.lasting, stored.item), rev: stored.rev }
    },
    /**
     * Ends the work: it is undone if the cloud permits it, otherwise its results are left at the cloud.
     * @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT when it has ended, or is running at this moment
     */
    giveUp: async (context: Context, id: string): Promise<Stored<UnfinishedWork>> => {
      const ended = await context.once('give up', async () => {
        const { stored, kind } = await find(context, id)
        assertIfMatch(context, stored)
        if (!isOpen(stored.item)) throw new Refusal('STATE_CONFLICT', `The work is ${stored.item.state} already.`)
        if (isLeased(stored.item, context.now))
          throw new Refusal('STATE_CONFLICT', 'The work is under way at this moment; try again later.')
        const { uri, operation: name } = present(kind.lasting, stored.item)
        context.about({ uri, name, record: stored.item })
        context.beforeEffects()
        return { ...(await giveUpSaga(context, kind, stored)), lasting: kind.lasting, before: stored.item }
      })
      const item = present(ended.lasting, ended.item)
      const { uri, operation: name, state, left_at_cloud } = item
      context.about({ uri, name, before: { state: ended.before.state }, after: { state, left_at_cloud } })
      return { item, rev: ended.rev }
    },
  }
}

/**
 * Routes for work on a cloud's keys that an interruption or a refusal of the credentials left unfinished: to read it
 * and to end it.
 */
export function unfinishedWorkRoutes(cloud: string): readonly Route[] {
  const { list, get, giveUp } = workOf(cloud)
  const at = `/v1/keymgr/${cloud}/unfinished-work`
  const noun = `${cloud.charAt(0).toUpperCase()}${cloud.slice(1)} Unfinished Work`
  const on = routesOn({ at, answers: UnfinishedWork, reads: 'keymgr-users', changes: 'keymgr-users' })
  return [
    on.list(`List ${noun}`, UnfinishedWorkQuery, list),
    on.get(`Get ${noun}`, get),
    on.act('give-up', `Give Up ${noun}`, giveUp),
  ]
}
