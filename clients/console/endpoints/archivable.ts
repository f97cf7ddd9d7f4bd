import type { Call } from '../calls.ts'
import type { Action } from '../forms/actions.tsx'
import type { Tone } from '../words/states.tsx'

type Status = 'Enabled' | 'Disabled' | 'Archived'

/** States of endpoints that are archived before they are deleted. */
export const ARCHIVABLE_STATES: Readonly<Record<Status, { readonly state: string; readonly tone: Tone }>> = {
  Enabled: { state: 'Enabled', tone: 'good' },
  Disabled: { state: 'Disabled', tone: 'quiet' },
  Archived: { state: 'Archived', tone: 'bad' },
}

type Verb = 'enable' | 'disable' | 'archive' | 'recover'

/** Their transitions between states. */
export const archivable = <E extends { readonly status: Status }>(
  callFor: (verb: Verb, endpoint: E) => Call,
): readonly Action<E>[] => [
  {
    ...{ name: 'enable', title: 'Enable', done: 'The endpoint answers again.' },
    about: 'Lets the endpoint answer again.',
    applies: ({ status }) => status === 'Disabled',
    call: (endpoint) => callFor('enable', endpoint),
  },
  {
    ...{ name: 'disable', title: 'Disable', done: 'The endpoint refuses every call.' },
    about: 'Refuses every call until it is enabled again.',
    applies: ({ status }) => status === 'Enabled',
    call: (endpoint) => callFor('disable', endpoint),
  },
  {
    ...{ name: 'archive', title: 'Archive', done: 'The endpoint is archived.' },
    about: 'Refuses every call; its key is kept until the endpoint is recovered or deleted.',
    applies: ({ status }) => status !== 'Archived',
    call: (endpoint) => callFor('archive', endpoint),
  },
  {
    ...{ name: 'recover', title: 'Recover', done: 'The endpoint is recovered.' },
    about: 'Brings an archived endpoint back.',
    applies: ({ status }) => status === 'Archived',
    call: (endpoint) => callFor('recover', endpoint),
  },
]
