/** The cloud in paths, messages and records. */
export const NAME = 'cloud-b'
/** The field of bodies that lists its containers. */
export const CONTAINER_LIST = 'key_vaults'
