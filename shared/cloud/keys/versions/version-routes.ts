import type * as z from 'zod'
import { NameOrId, Uuid } from '../../../http/common-fields.ts'
import type { Context } from '../../../http/context.ts'
import type { Route } from '../../../http/operation.ts'
import type { Stored } from '../../../store/entity.ts'
import { routesOf, routesOn } from '../../../resource/routes.ts'
import { strictObject } from '../../../base/lazy-fields.ts'
import type { VersionActions } from './act-on-version.ts'
import { getVersion, listVersions, type VersionQuery } from './find-version.ts'
import type { VersionedKind, VersionedTypes } from './kind.ts'

const VersionPath = strictObject(() => ({
  id: Uuid,
  version_id: NameOrId.meta({ description: 'id or number of the version' }),
}))

/** The routes of one cloud's versions as its slice declares them. */
interface Declared<T extends VersionedTypes, A, Q> {
  /** path of the keys */
  readonly at: string
  /** singular in summaries, such as `Cloud-c Key Version` */
  readonly noun: string
  readonly answers: A
  readonly query: Q
  readonly actions: VersionActions<T>
  /** Finds one version; default: the recorded one. */
  readonly get?: (context: Context, keyId: string, reference: string) => Promise<Stored<T['versionShown']>>
}

/**
 * The routes of key versions: their verbs get the id of the key; verbs of one version also get its id, or the cloud's
 * own name of it.
 */
export function versionRoutes<T extends VersionedTypes, A extends z.ZodType, Q extends z.ZodType<VersionQuery>>(
  kind: VersionedKind<T>,
  {
    at: keys,
    noun,
    answers,
    query,
    actions: { table, act },
    get = (...asked) => getVersion(kind, ...asked),
  }: Declared<T, A, Q>,
) {
  const may = { answers, reads: 'keymgr-users', changes: 'keymgr-users' } as const
  const onKey = routesOn({ ...may, at: keys })
  const at = `${keys}/{id}/versions`
  const one = `${at}/{version_id}`
  const on = routesOf({
    ...may,
    at,
    one,
    path: VersionPath,
    idsOf: ({ id, version_id }): readonly [string, string] => [id, version_id],
  })
  const shown = (stored: Stored<T['versionShown']>) => stored as Stored<z.input<A>> // the schema describes it as shown
  const usual: readonly Route[] = [
    onKey.listWithin('versions', `List ${noun}s`, query, answers, async (context, id, asked) => {
      const list = await listVersions(kind, context, id, asked)
      return { ...list, resources: list.resources as z.input<A>[] }
    }),
    on.get(`Get ${noun}`, async (context, ...ids) => shown(await get(context, ids[0], ids[1]))),
    ...Object.entries(table).map(([name, { summary, body }]) =>
      on.act(
        name,
        summary,
        async (context, id, version, args?: Readonly<Record<string, unknown>>) =>
          shown(await act(context, name, id, version, args)),
        body,
      ),
    ),
  ]
  return { onKey, on, usual }
}
