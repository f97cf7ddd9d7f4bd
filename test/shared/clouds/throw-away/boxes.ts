import * as z from 'zod'
import { without } from '../../../../shared/base/fields.ts'
import { notThere } from '../../../../shared/base/errors.ts'
import { budgetOf } from '../../../../shared/cloud/budget.ts'
import { proveConnection } from '../../../../shared/cloud/connections/test-connection.ts'
import { addContainers, assertNoneThere } from '../../../../shared/cloud/containers/add-containers.ts'
import {
  connectionInBody,
  connectionOfContainer,
  newContainer,
} from '../../../../shared/cloud/containers/connection.ts'
import { containerEntity } from '../../../../shared/cloud/containers/entity.ts'
import type { ContainerKind } from '../../../../shared/cloud/containers/kind.ts'
import { CommonContainer, commonContainerFilters, storedContainer } from '../../../../shared/cloud/containers/model.ts'
import type { Opening } from '../../../../shared/cloud/keys/kind.ts'
import { NameOrId, Time } from '../../../../shared/http/common-fields.ts'
import type { Context } from '../../../../shared/http/context.ts'
import { listQuery } from '../../../../shared/http/lists/list-query.ts'
import type { Stored } from '../../../../shared/store/entity.ts'
import { throwAwayAdapter } from './adapter.ts'
import type { Place } from './adapter/types.ts'
import { opened, type ConnectionRecord } from './connections.ts'
import { NAME } from './name.ts'
import { strictObject } from '../../../../shared/base/lazy-fields.ts'

/** A box: a container of keys in this cloud. */
export const Box = CommonContainer.extend({ cloud_name: z.literal(NAME), refreshed_at: Time.optional() })
export type Box = z.infer<typeof Box>
export const AddBox = strictObject(() => ({ name: z.string().min(1).max(63), connection: NameOrId }))
export const BoxQuery = listQuery(Box, () => commonContainerFilters)

const StoredBox = Box.extend(storedContainer)
export type StoredBox = z.infer<typeof StoredBox>
export const boxes = containerEntity({
  name: 'throw-away-box',
  schema: StoredBox,
  unique: ({ name }) => ({ name: [name] }),
  row: () => ({}),
})
export type BoxRow = ReturnType<typeof boxes.row>

/** Actions that permissions on a box can grant. */
export const ACTIONS = ['view', 'keycreate', 'keyupload', 'keyrotate', 'keysynchronize'] as const

export const boxKind: ContainerKind<StoredBox, BoxRow, Box> = {
  entity: boxes,
  noun: 'box',
  nameOf: ({ name }) => name,
  namedBy: 'name',
  views: ['view'],
  viewOf: (action) => (action === 'view' ? [] : ['view']),
  audited: ['name', 'connection', 'acls'],
  present: (box) => without(box, 'connection_id'),
}

/** The place of a box for the adapter. @throws Refusal STATE_CONFLICT when the box has no connection */
export async function openBox(domain: string, box: StoredBox, { now, budget, patience }: Opening): Promise<Place> {
  const stored: Stored<ConnectionRecord> = await connectionOfContainer(NAME, boxKind, domain, box)
  return { connection: await opened(domain, stored), box: box.name, now, budget, patience }
}

/** Adds an existing box of the cloud. @throws Refusal NOT_FOUND, NAME_TAKEN, RULE_BROKEN, CLOUD_… */
export async function addBox(context: Context, { name, connection }: z.infer<typeof AddBox>): Promise<Stored<Box>> {
  const domain = context.caller.domain.id
  const named = { names: [name], pointerAt: () => '#/name' }
  const stored: Stored<ConnectionRecord> = await connectionInBody(NAME, context, connection)
  await assertNoneThere(boxKind, domain, named)
  await proveConnection(context, stored)
  const entry = { connection: await opened(domain, stored), budget: await budgetOf(context) }
  if (!(await throwAwayAdapter.hasBox(entry, name)))
    throw notThere('There is no such box.', { pointer: '#/name', detail: 'is no box that the connection reaches' })
  const box: StoredBox = { ...newContainer(domain, 'throw-away-box', stored.item, context.now), name }
  const [item] = addContainers(boxKind, context, [box], named, { uri: box.uri, name, list: 'boxes' })
  if (item === undefined) throw new Error('One box was added')
  return { item, rev: 1 }
}
