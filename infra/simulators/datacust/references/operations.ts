import { randomUUID } from 'node:crypto'
import { fits } from '../groups/operations.ts'
import { keyWithId } from '../keys/found.ts'
import type { HeldKey, HeldReference } from '../state/held.ts'
import { flagAt, requireOnly, textAt, type Body } from '../wire/body.ts'
import type { Call, Reply, Route } from '../wire/call.ts'
import { conflict, invalid, notFound } from '../wire/errors.ts'
import { filterIn, pageOf } from '../wire/lists.ts'

/* Ours: the real calls for dynamic key references are not public. */

const NAME = /^[A-Za-z0-9 ]{2,}$/

/** @throws ApiError 400 */
function nameIn(body: Body): string {
  const name = textAt(body, 'name')
  if (!NAME.test(name)) throw invalid('name must have two or more letters, digits and spaces.')
  return name
}

function describe(call: Call, { id, name, keyId, allowsExchange }: HeldReference): object {
  const { key } = keyWithId(call, keyId)
  return { id, name, keyId, groupId: key.groupId, allowUnderlyingKeyExchange: allowsExchange }
}

/** A reference to a key that the caller sees. @throws ApiError 404 */
function referenceInPath(call: Call): HeldReference {
  const id = call.param('referenceId')
  const found = call.state.references(call.caller.tenant.id).find((each) => each.id === id)
  if (found === undefined || !isVisible(call, found)) throw notFound('dynamic key reference')
  return found
}

function isVisible({ state, caller }: Call, { keyId }: HeldReference): boolean {
  return caller.groupId === undefined || state.key(keyId)?.groupId === caller.groupId
}

function list(call: Call): Reply {
  const filter = filterIn(call, ['id', 'groupId', 'name', 'keyId'])
  const visible = call.state.references(call.caller.tenant.id).filter((each) => isVisible(call, each))
  return pageOf(
    call,
    visible.map((each) => describe(call, each)).filter((each) => fits(filter, { ...each })),
  )
}

function create(call: Call): Reply {
  const { body, state, caller } = call
  requireOnly(body, ['name', 'keyId', 'allowUnderlyingKeyExchange'])
  const { key } = keyWithId(call, textAt(body, 'keyId'))
  const made: HeldReference = {
    ...{ id: randomUUID(), tenantId: caller.tenant.id, name: nameIn(body), keyId: key.id, createdAt: state.now() },
    allowsExchange: flagAt(body, 'allowUnderlyingKeyExchange') ?? true,
  }
  state.saveReference(made)
  return { status: 201, body: describe(call, made) }
}

const isAlike = (one: HeldKey, other: HeldKey): boolean =>
  one.groupId === other.groupId &&
  one.type === other.type &&
  [...one.operations].sort().join() === [...other.operations].sort().join()

function update(call: Call): Reply {
  const reference = referenceInPath(call)
  const { body, state } = call
  requireOnly(body, ['name', 'keyId'])
  if (body.keyId !== undefined && body.keyId !== reference.keyId) {
    const { key } = keyWithId(call, textAt(body, 'keyId'))
    if (!reference.allowsExchange) throw conflict('The key of this reference cannot be exchanged.')
    if (!isAlike(keyWithId(call, reference.keyId).key, key))
      throw invalid('The new key must have the same group, type and operations.')
    reference.keyId = key.id
  }
  if (body.name !== undefined) reference.name = nameIn(body)
  state.saveReference(reference)
  return { body: describe(call, reference) }
}

const path = '/dynamicKeyReferences/{referenceId}'

export const referenceRoutes: readonly Route[] = [
  { operation: 'ListReferences', method: 'GET', path: '/dynamicKeyReferences', run: list },
  { operation: 'CreateReference', method: 'POST', path: '/dynamicKeyReferences', run: create },
  {
    ...{ operation: 'GetReference', method: 'GET', path },
    run: (call) => ({ body: describe(call, referenceInPath(call)) }),
  },
  { operation: 'UpdateReference', method: 'PATCH', path, run: update },
  {
    ...{ operation: 'DeleteReference', method: 'DELETE', path },
    run: (call) => {
      call.state.forgetReference(referenceInPath(call).id)
      return { status: 204 }
    },
  },
]
