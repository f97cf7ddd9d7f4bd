import * as z from 'zod'
import { ask } from './client.ts'
import { withinRoom } from './limits.ts'
import { getSecret, secretPath } from './secrets.ts'
import type { Crm, CrmPlace } from './types.ts'
import { marked, SecretValue } from './wire.ts'

const Nothing = z.unknown()

const patch = async (place: CrmPlace, ref: string, body: object): Promise<void> => {
  await ask(place, 'PATCH', secretPath(ref), Nothing, body)
}

export const describe: Crm['describe'] = async (place, ref, description) => {
  const { mark } = await getSecret(place, ref)
  await patch(place, ref, { Description: mark === undefined ? description : marked(description, mark) })
}

export const exported: Crm['exported'] = async (place, ref) =>
  (await ask(place, 'GET', `${secretPath(ref)}?fields=SecretValue`, SecretValue)).SecretValue

export const destroy: Crm['destroy'] = async (place, ref) => {
  if ((await getSecret(place, ref)).param.status !== 'DESTROYED') await patch(place, ref, { Status: 'DESTROYED' })
}

export const importAgain: Crm['importAgain'] = async (place, ref, value) => {
  const { status, type } = (await getSecret(place, ref)).param
  if (status === 'DESTROYED') await withinRoom(place, type, () => patch(place, ref, { SecretValue: value }))
}

export const activate: Crm['activate'] = async (place, ref) => {
  const { status, type } = (await getSecret(place, ref)).param
  if (status !== 'ACTIVE') await withinRoom(place, type, () => patch(place, ref, { Status: 'ACTIVE' }))
}
