import { randomBytes } from 'node:crypto'
import { listAt, objectAt, objectsAt, onlyKnown, textAt, type Body } from '../body.ts'
import type { Call, Route } from '../call.ts'
import { ApiError, invalid } from '../errors.ts'
import { keyNamed, ringNamed } from '../found.ts'
import type { Binding, HeldKey, HeldPolicy, HeldRing } from '../held.ts'
import { isRole } from '../roles.ts'
import { change, read } from '../route.ts'

const MEMBER = /^(user|serviceAccount|group|domain|principal|principalSet):.+$|^(allUsers|allAuthenticatedUsers)$/
/** Etag of a policy that was never set. */
const FIRST_ETAG = 'ACAB'

/** A resource with a policy. */
interface Held {
  readonly thing: HeldKey | HeldRing
  readonly save: () => void
}

function held(call: Call): Held {
  if (call.name.includes('/cryptoKeys/')) {
    const thing = keyNamed(call, call.name)
    return { thing, save: () => call.state.saveKeys([thing]) }
  }
  const thing = ringNamed(call, call.name)
  return { thing, save: () => call.state.saveRing(thing) }
}

/** Conditions are shown only when policies of version 3 are requested. */
function describePolicy(policy: HeldPolicy | undefined, version: number): object {
  const { bindings, etag } = policy ?? { bindings: [], etag: FIRST_ETAG }
  const hasCondition = bindings.some(({ condition }) => condition !== undefined)
  const shown = bindings.map(({ condition, role, members }) =>
    version >= 3 && condition !== undefined ? { role, members, condition } : { role, members },
  )
  return {
    version: hasCondition && version >= 3 ? 3 : 1,
    etag,
    ...(shown.length > 0 && { bindings: shown }),
  }
}

function bindingIn(body: Body): Binding {
  const { role, members, condition } = onlyKnown(body, ['role', 'members', 'condition'])
  const named = listAt({ members }, 'members')
  if (typeof role !== 'string' || !(isRole(role) || /^(projects|organizations)\//.test(role)))
    throw invalid(`Role ${JSON.stringify(role)} is not supported for this resource.`)
  const isMember = (member: unknown): member is string => typeof member === 'string' && MEMBER.test(member)
  if (named.length === 0 || !named.every(isMember)) throw invalid('The members of a binding are not valid.')
  return { role, members: named, ...(condition !== undefined && { condition: objectAt({ condition }, 'condition') }) }
}

function setPolicy(call: Call): object {
  const { policy } = onlyKnown(call.body, ['policy', 'updateMask', 'resource'])
  const wanted = onlyKnown(objectAt({ policy }, 'policy'), ['version', 'bindings', 'etag', 'auditConfigs'])
  const bindings = objectsAt(wanted, 'bindings').map(bindingIn)
  if (bindings.some(({ condition }) => condition !== undefined) && wanted.version !== 3)
    throw invalid('A policy with conditions must have version 3.')
  const { thing, save } = held(call)
  const etag = textAt(wanted, 'etag')
  if (etag !== undefined && etag !== (thing.policy?.etag ?? FIRST_ETAG))
    throw new ApiError(
      'ABORTED',
      'There were concurrent policy changes. Please retry the whole read-modify-write with exponential backoff.',
    )
  thing.policy = { bindings, etag: randomBytes(8).toString('base64') }
  save()
  return describePolicy(thing.policy, 3)
}

function versionWanted({ query, body }: Call): number {
  const fromBody = objectAt(body, 'options').requestedPolicyVersion
  return Number(query.get('options.requestedPolicyVersion') ?? fromBody ?? 1)
}

const routesOf = (path: string, kind: 'cryptoKeys' | 'keyRings'): readonly Route[] => [
  {
    ...read('GetIamPolicy', `${path}:getIamPolicy`, `${kind}.getIamPolicy`, (call) =>
      describePolicy(held(call).thing.policy, versionWanted(call)),
    ),
    methods: ['GET', 'POST'],
  },
  change('SetIamPolicy', `${path}:setIamPolicy`, `${kind}.setIamPolicy`, setPolicy),
  {
    operation: 'TestIamPermissions',
    service: 'kms',
    methods: ['POST'],
    path: `${path}:testIamPermissions`,
    quota: 'read',
    run: (call) => {
      const wanted = listAt(call.body, 'permissions').map(String)
      const permissions = wanted.filter((permission) => call.may(permission, call.name))
      return permissions.length === 0 ? {} : { permissions }
    },
  },
]

export const policyRoutes: readonly Route[] = [
  ...routesOf('/v1/projects/*/locations/*/keyRings/*/cryptoKeys/*', 'cryptoKeys'),
  ...routesOf('/v1/projects/*/locations/*/keyRings/*', 'keyRings'),
]
