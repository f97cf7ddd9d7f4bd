import type { AnswerOf } from '../../../sdk/calls.ts'

export type Store = AnswerOf<'get', '/v1/keymgr/cloud-a/custom-key-stores/{id}'>

export type Connection = NonNullable<Store['cloud_a_param']['connection_state']>

/** The members that determine which actions the service allows. */
type Facts = Pick<Store, 'linked_state' | 'gone'> & {
  readonly cloud_a_param: Pick<Store['cloud_a_param'], 'connection_state'>
  readonly local_hosted_params?: Pick<NonNullable<Store['local_hosted_params']>, 'blocked'>
}

export const isBlocked = ({ local_hosted_params }: Facts): boolean => local_hosted_params?.blocked === true
export const connectionOf = ({ cloud_a_param }: Facts): Connection => cloud_a_param.connection_state ?? 'DISCONNECTED'

const isAtCloud = ({ linked_state, gone }: Facts): boolean => linked_state && !gone
const isOurs = ({ local_hosted_params }: Facts): boolean => local_hosted_params !== undefined

/** Actions on a store, each with the states in which the service allows it. */
export const ALLOWED = {
  link: (store) => !store.linked_state && !store.gone && !isBlocked(store),
  connect: (store) => isAtCloud(store) && !isBlocked(store) && connectionOf(store) === 'DISCONNECTED',
  disconnect: (store) => isAtCloud(store) && ['CONNECTED', 'CONNECTING', 'FAILED'].includes(connectionOf(store)),
  block: (store) => isOurs(store) && !isBlocked(store),
  unblock: isBlocked,
  rotate: (store) => isOurs(store) && !store.gone && !(store.linked_state && isBlocked(store)),
  delete: (store) => !isAtCloud(store) || connectionOf(store) === 'DISCONNECTED',
} as const satisfies Record<string, (store: Facts) => boolean>
