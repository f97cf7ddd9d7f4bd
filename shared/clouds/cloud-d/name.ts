/** The cloud's name in paths, messages and records. */
export const NAME = 'cloud-d'
/** The field of bodies that lists its containers. */
export const CONTAINER_LIST = 'cloud_d_vaults'
