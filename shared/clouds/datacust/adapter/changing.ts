import { ifThere } from '../../../cloud/adapter/failures.ts'
import { ask, Nothing } from './client.ts'
import { keyPath } from './reading.ts'
import type { Datacust } from './types.ts'
import { Key } from './wire.ts'

export const update: Datacust['update'] = async (place, ref, change) => {
  await ask(place, { method: 'PATCH', path: keyPath(ref), body: change, reply: Key })
}

export const remove: Datacust['remove'] = async (place, ref) => {
  await ifThere(ask(place, { method: 'DELETE', path: keyPath(ref), reply: Nothing }))
}
