/** The cloud's name in paths, messages and records. */
export const NAME = 'crm'
/** The field of bodies that lists its containers. */
export const CONTAINER_LIST = 'organizations'
