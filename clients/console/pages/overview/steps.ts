import { HOME } from '../../home.ts'

/** The facts of a domain that mark the first steps as done. */
export interface Facts {
  readonly connections: number
  readonly working: number
  readonly containers: number
  readonly keys: number
  readonly reads: number
  readonly rotations: number
  readonly users: number
  readonly providers: number
  readonly hasOwnPassword: boolean
}

export interface Step {
  readonly title: string
  readonly text: string
  readonly button: string
  readonly at: string
  readonly isDone: boolean
}

/** A domain with more keys than this is not new. */
const KEYS_MOST = 3

/** Whether the domain is so new that its first steps are shown. */
export const isNew = ({ connections, containers, keys }: Facts): boolean =>
  keys <= KEYS_MOST && (connections === 0 || containers === 0)

/** The first steps, in order. Existing records mark a step as done, so that the browser stores nothing. */
export const stepsOf = (facts: Facts): readonly Step[] => [
  {
    title: 'Choose a password of your own',
    text: 'You are logged in as an administrator. Choose a password before others get the address.',
    button: 'Change the password',
    at: `${HOME}me`,
    isDone: facts.hasOwnPassword,
  },
  {
    title: 'Connect a cloud',
    text: 'Give the service the credentials with which it may read and make keys there. They are tested before they are stored.',
    button: 'Connect a cloud',
    at: `${HOME}connections/new`,
    isDone: facts.working > 0,
  },
  {
    title: 'Choose containers and read their keys',
    text: 'Only those that you add are read. Reading changes nothing in them.',
    button: 'Add containers',
    at: `${HOME}connections`,
    isDone: facts.containers > 0,
  },
  {
    title: 'Create the first key here',
    text: 'Its material is made in this service. Keys of any cloud can be made from it.',
    button: 'Create a key',
    at: `${HOME}keys/local/add/create`,
    isDone: facts.keys > 0,
  },
  {
    title: 'Plan a nightly read and a rotation',
    text: 'Then this page shows each morning what ends soon and what failed.',
    button: 'Plan a job',
    at: `${HOME}jobs/add`,
    isDone: facts.reads > 0 && facts.rotations > 0,
  },
  {
    title: 'Let others in',
    text: 'Add users and groups, or let people log in with your identity provider.',
    button: 'Add a user',
    at: `${HOME}users/add`,
    isDone: facts.users > 1 || facts.providers > 0,
  },
]
