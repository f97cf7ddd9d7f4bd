import type { Context } from '../../http/context.ts'
import { Refusal, ruleBroken } from '../../base/errors.ts'
import { resourceUri, type CommonFields } from '../../base/ids.ts'
import { resource } from '../../resource/resource.ts'
import type { Stored } from '../../store/entity.ts'
import { walk } from '../../store/list.ts'
import { beginUse } from '../keys/lifecycle/key-users.ts'
import { isKeyAdmin, mayRead } from '../keys/policies/access.ts'
import { findNamedKey } from '../keys/lists/find-key.ts'
import { localKeys, type StoredLocalKey } from '../keys/store.ts'
import { CreateKeyLink, KeyLink, KeyLinkQuery, UpdateKeyLink } from './model.ts'
import { keyLinks } from './store.ts'

/** Ours: limited, because every record of the key shows them. */
const LINKS_MOST = 20

/** Types of link whose target is of one kind. */
const TARGETS: Readonly<Record<string, string>> = {
  privateKey: 'Private Key',
  publicKey: 'Public Key',
  certificate: 'Certificate',
}

/** Links between keys, besides those between the halves of a pair. A caller sees the links of keys that it may see. */
export const links = resource({
  entity: keyLinks,
  noun: 'link',
  title: 'Key Link',
  at: '/v1/vault/links',
  reads: 'key-users',
  changes: 'key-admins',
  answers: KeyLink,
  query: KeyLinkQuery,
  createBody: CreateKeyLink,
  updateBody: UpdateKeyLink,
  uri: (domain, id) => resourceUri(domain, 'vault', 'links', id),
  find: found,
  nameOf: ({ type, source, target }) => `${type} ${source} ${target}`,
  audited: ['type', 'source', 'target'],
  taken: () =>
    new Refusal('NAME_TAKEN', 'There is such a link already.', {
      errors: [{ pointer: '#/type', detail: 'is the type of a link between these keys' }],
    }),
  narrow: async (context) => {
    if (isKeyAdmin(context.caller)) return {}
    const visible = await visibleKeys(context)
    return { tests: [({ source }) => visible.has(source)] }
  },
  make: made,
  next: async (context, link, { type = link.type }) => {
    const target = await localKeys.get(context.caller.domain.id, link.target)
    if (target) assertFits(type, target.item, '#/type')
    await stageShown(context, link, (one) => [{ ...one, type }])
    return { ...link, type }
  },
  release: (context, link) => stageShown(context, link, () => []),
})

/** @throws Refusal RULE_BROKEN */
function assertFits(type: KeyLink['type'], { objectType }: StoredLocalKey, pointer: string): void {
  const wanted = TARGETS[type]
  if (wanted !== undefined && wanted !== objectType)
    throw ruleBroken('target', `of a link ${type} must be a ${wanted}`, pointer)
}

const key = (context: Context, reference: string, field: 'source' | 'target'): Promise<Stored<StoredLocalKey>> =>
  findNamedKey(context, reference, {}, { pointer: `#/${field}`, detail: 'is not there' })

/** Stages new links in the record of a key. */
const stageLinks = (
  { caller, changes, now }: Context,
  source: Stored<StoredLocalKey>,
  links: StoredLocalKey['links'],
): void => changes.update(localKeys, caller.domain.id, source, { ...source.item, links, updatedAt: now.toISOString() })

/**
 * Links one version of a key to another.
 * @throws Refusal NOT_FOUND, RULE_BROKEN, NAME_TAKEN, STATE_CONFLICT for too many links of one key
 */
async function made(context: Context, { type, ...body }: CreateKeyLink, common: CommonFields): Promise<KeyLink> {
  const [source, target] = await Promise.all([key(context, body.source, 'source'), key(context, body.target, 'target')])
  if (source.item.id === target.item.id) throw ruleBroken('target', 'must be another key than source')
  assertFits(type, target.item, '#/target')
  if (source.item.links.length >= LINKS_MOST)
    throw new Refusal('STATE_CONFLICT', `A key has at most ${LINKS_MOST} links.`)
  const link: KeyLink = { ...common, type, source: source.item.id, target: target.item.id }
  stageLinks(context, source, [...source.item.links, { type, target: link.target, id: link.id }])
  beginUse(context, target)
  return link
}

/** A link, if the caller may see its source. */
async function found({ caller }: Pick<Context, 'caller'>, id: string): Promise<Stored<KeyLink> | undefined> {
  const stored = await keyLinks.get(caller.domain.id, id)
  const source = stored && (await localKeys.get(caller.domain.id, stored.item.source))
  return source && mayRead(caller, source.item) ? stored : undefined
}

type Shown = StoredLocalKey['links'][number]

/** Stages a change of a link in the record of its source. */
async function stageShown(
  context: Context,
  { id, source }: KeyLink,
  change: (link: Shown) => readonly Shown[],
): Promise<void> {
  const stored = await localKeys.get(context.caller.domain.id, source)
  if (stored === undefined) return
  const links = stored.item.links.flatMap((one) => (one.id === id ? change(one) : [one]))
  stageLinks(context, stored, links)
}

/** Ids of the keys that a caller may see. */
async function visibleKeys({ caller }: Context): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  await walk(localKeys, caller.domain.id, {
    ...{ sets: ['latest', 'former'], skip: 0, limit: 0, narrowBy: 'id' },
    matches: (row, id) => {
      if (mayRead(caller, row)) ids.add(id)
      return false
    },
  })
  return ids
}
