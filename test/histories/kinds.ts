import type { Action, Answer, Model, Verb } from './history.ts'
import { ABSENT, counters, documents, sets } from './models.ts'
import { projectOf, RINGS, type Setting } from './setting.ts'

/** A request of an action. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** A kind of resource: the HTTP calls of its actions, and the content of its answers. */
export interface Kind {
  readonly name: string
  /** the function that answers */
  readonly of: string
  readonly model: Model
  readonly verbs: readonly Verb[]
  /** whether `If-Match` applies */
  readonly revisions: boolean
  /** audit messages of the effects */
  readonly effects: Readonly<Partial<Record<Verb, string>>>
  /** the resource's name, from a text that no other history uses */
  readonly nameOf: (unique: string, index: number) => string
  /** creates what must exist before; returns the initial state */
  readonly prepare: (setting: Setting, name: string) => Promise<string>
  readonly ask: (name: string, action: Action, setting: Setting) => Asked
  /** the user of an action; default: the one that the plan chose */
  readonly userOf?: () => string
  /** facts in the body of a success */
  readonly shown: (body: any, action: Action, name: string) => Partial<Answer>
}

const nameOf = (unique: string, index: number): string => `${unique}-${index}`
const tagged = (rev: number | undefined): Asked['headers'] => (rev === undefined ? {} : { 'if-match': `"${rev}"` })

/** Ways in which named documents differ. */
interface DocumentKind {
  readonly name: string
  readonly of: string
  readonly path: string
  readonly noun: string
  readonly create: (name: string, value: string) => object
  readonly change: (value: string) => object
  readonly valueOf: (body: any) => string | undefined
  /** whether addresses contain the name in place of an id */
  readonly byName?: boolean
}

function documentKind({ name: kind, of, path, noun, create, change, valueOf, byName = false }: DocumentKind): Kind {
  const idOf = (body: any): string | undefined => (byName ? body.name : body.id) as string | undefined
  return {
    name: kind,
    of,
    model: documents,
    verbs: ['create', 'find', 'read', 'change', 'change', 'remove'],
    revisions: true,
    effects: { create: `Create ${noun}`, change: `Update ${noun}`, remove: `Delete ${noun}` },
    nameOf,
    prepare: () => Promise.resolve(ABSENT),
    ask: (name, action) => {
      if (action.verb === 'create') return { method: 'POST', path, body: create(name, action.value) }
      if (action.verb === 'change')
        return {
          method: 'PATCH',
          path: `${path}/${action.id}`,
          body: change(action.value),
          headers: tagged(action.rev),
        }
      if (action.verb === 'remove')
        return { method: 'DELETE', path: `${path}/${action.id}`, headers: tagged(action.rev) }
      if (action.verb === 'read') return { method: 'GET', path: `${path}/${action.id}` }
      return { method: 'GET', path: `${path}?name=${encodeURIComponent(name)}` }
    },
    shown: (body, { verb }) => {
      if (verb === 'remove') return {}
      const one = verb === 'find' ? body.resources[0] : body
      return one === undefined ? { outcome: 'absent' } : { id: idOf(one), value: valueOf(one) }
    },
  }
}

const describedBy = { change: (description: string) => ({ description }), valueOf: (body: any) => body.description }

const KEYS = '/v1/vault/keys2'
const GROUPS = '/v1/usermgmt/groups'
const CLOUD_C = '/v1/keymgr/cloud-c'

const key = documentKind({
  name: 'key',
  of: 'vault',
  path: KEYS,
  noun: 'Key',
  create: (name, description) => ({ name, description }),
  ...describedBy,
})

const group = documentKind({
  name: 'group',
  of: 'users',
  path: GROUPS,
  noun: 'Group',
  create: (name, description) => ({ name, description }),
  ...describedBy,
  byName: true,
})

const schedule = documentKind({
  name: 'schedule',
  of: 'scheduler',
  path: '/v1/scheduler/job-configs',
  noun: 'Job Config',
  create: (name, description) => ({
    name,
    description,
    operation: 'keymgr_key_rotation',
    run_at: '0 3 * * *',
    keymgr_key_rotation_params: { cloud_name: 'cloud-a' },
  }),
  ...describedBy,
})

const endpoint = documentKind({
  name: 'endpoint',
  of: 'ekm',
  path: '/v1/keymgr/ekm/endpoints',
  noun: 'EKM Endpoint',
  create: (name, value) => ({
    name,
    meta: { value },
    keyURIHostname: 'ekm.example.test',
    policy: { basic: { clients: ['somebody@example.test'] } },
  }),
  change: (value) => ({ meta: { value } }),
  valueOf: (body) => body.meta?.value as string | undefined,
})

const version: Kind = {
  name: 'version',
  of: 'vault',
  model: counters,
  verbs: ['append', 'find'],
  revisions: false,
  effects: { append: 'Rotate Key' },
  nameOf,
  prepare: async ({ call }, name) => {
    await call({ method: 'POST', path: KEYS, body: { name } })
    return '0'
  },
  ask: (name, { verb }) =>
    verb === 'append'
      ? { method: 'POST', path: `${KEYS}/${name}/versions`, body: {} }
      : { method: 'GET', path: `${KEYS}/${name}` },
  shown: ({ version: count }) => ({ count }),
}

/** Stands for the only user of a membership. */
const ONE_USER = 'user'

/** One user's membership in a group. The group's count of members is read apart, so it is not compared. */
const member: Kind = {
  name: 'member',
  of: 'users',
  model: sets(true),
  verbs: ['grant', 'grant', 'withdraw', 'find'],
  revisions: false,
  effects: { grant: 'Add User To Group', withdraw: 'Remove User From Group' },
  nameOf,
  prepare: async ({ call }, name) => {
    await call({ method: 'POST', path: GROUPS, body: { name } })
    return '[]'
  },
  ask: (name, action, { users: [user = ''] }) => {
    if (action.verb !== 'grant' && action.verb !== 'withdraw')
      return { method: 'GET', path: `/v1/usermgmt/users?groups=${name}` }
    const method = action.verb === 'grant' ? 'POST' : 'DELETE'
    return { method, path: `${GROUPS}/${name}/users/${encodeURIComponent(user)}` }
  },
  shown: (body, { verb }) => (verb === 'find' ? { users: body.resources.map(() => ONE_USER) } : {}),
  userOf: () => ONE_USER,
}

const RING_PATH = `${CLOUD_C}/key-rings`
const added = (name: string): Asked => ({
  method: 'POST',
  path: `${CLOUD_C}/add-key-rings`,
  body: { connection: 'main', project_id: projectOf(name), key_rings: [{ name }] },
})
const foundRing = (name: string): Asked => ({ method: 'GET', path: `${RING_PATH}?name=${encodeURIComponent(name)}` })

/** Removes the record of a ring, if there is one. */
async function removeRing({ call }: Setting, name: string): Promise<void> {
  const { resources } = await call(foundRing(name))
  for (const { id } of resources as { id: string }[])
    await call({ method: 'POST', path: `${RING_PATH}/${id}/remove-key-ring` })
}

/** A container: its value is the connection that it uses. */
const container: Kind = {
  name: 'container',
  of: 'cloud-c',
  model: documents,
  verbs: ['create', 'find', 'read', 'remove'],
  revisions: false,
  effects: { create: 'Add Cloud-c Key Rings', remove: 'Remove Cloud-c Key Ring' },
  nameOf: (_unique, index) => RINGS[index] ?? '',
  prepare: async (setting, name) => {
    await removeRing(setting, name)
    return ABSENT
  },
  ask: (name, action) => {
    if (action.verb === 'create') return added(name)
    if (action.verb === 'remove') return { method: 'POST', path: `${RING_PATH}/${action.id}/remove-key-ring` }
    return action.verb === 'read' ? { method: 'GET', path: `${RING_PATH}/${action.id}` } : foundRing(name)
  },
  shown: (body, { verb }) => {
    if (verb === 'remove' || verb === 'read') return {}
    const one = (verb === 'create' ? body.key_rings : body.resources)[0]
    return one === undefined ? { outcome: 'absent' } : { id: one.id as string }
  },
}

const ACTIONS = ['view', 'keycreate']

/** Permissions of users in a container. */
const permission: Kind = {
  name: 'permission',
  of: 'cloud-c',
  model: sets(false),
  verbs: ['grant', 'withdraw', 'find'],
  revisions: false,
  effects: { grant: 'Update Cloud-c Key Ring Permissions', withdraw: 'Update Cloud-c Key Ring Permissions' },
  nameOf: (_unique, index) => RINGS[index] ?? '',
  prepare: async (setting, name) => {
    await removeRing(setting, name)
    const { key_rings } = await setting.call(added(name))
    setting.ids.set(name, key_rings[0].id as string)
    return '[]'
  },
  ask: (name, action, { ids }) => {
    const path = `${RING_PATH}/${ids.get(name) ?? ''}`
    if (action.verb !== 'grant' && action.verb !== 'withdraw') return { method: 'GET', path }
    const acls = [{ user_id: action.user, actions: ACTIONS, permit: action.verb === 'grant' }]
    return { method: 'POST', path: `${path}/update-acls`, body: { acls } }
  },
  shown: ({ acls }) => ({
    users: (acls as { user_id: string; actions: string[] }[])
      .filter(({ actions }) => actions.length > 0)
      .map(({ user_id }) => user_id),
  }),
}

export const KINDS: readonly Kind[] = [key, version, container, permission, member, group, schedule, endpoint]
