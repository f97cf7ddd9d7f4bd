import type { KeyObject } from 'node:crypto'
import { pkcs8Of, pooledRsa, privateKeyOf } from '../../toolkit/key-pairs.ts'
import type { SimulatorSetting } from '../../toolkit/simulator.ts'
import { openThings } from '../../toolkit/thing-journal.ts'
import type { HeldCertificate, HeldCredential, HeldEvent, HeldOrganization, HeldSecret } from './held.ts'

const APPLICATION_KEY_BITS = 2048

/** Things of the state, by the kind of their lines in the journal. */
interface Things {
  organization: HeldOrganization
  secret: HeldSecret
  certificate: HeldCertificate
  credential: HeldCredential
  event: HeldEvent
  /** PKCS #8 of the key with which an application signs its assertions. */
  application: Buffer
  /** The last number that an id contains. */
  number: number
}

type Kind = keyof Things

/** The whole state of the platform, stored in its journal. */
export interface CrmState {
  readonly now: () => number
  readonly organizations: () => readonly HeldOrganization[]
  readonly organization: (id: string) => HeldOrganization | undefined
  readonly secrets: (organizationId: string) => readonly HeldSecret[]
  readonly certificates: (organizationId: string) => readonly HeldCertificate[]
  readonly credentials: (organizationId: string) => readonly HeldCredential[]
  /** Oldest first. */
  readonly events: (organizationId: string) => readonly HeldEvent[]
  readonly save: <K extends Exclude<Kind, 'application' | 'number'>>(kind: K, things: readonly Things[K][]) => void
  readonly remove: (kind: 'certificate' | 'credential', id: string) => void
  /** A number that no id contains so far. */
  readonly nextNumber: () => number
  /** The private key of an application. Ours: all of them sign with the same key, because it takes long to generate. */
  readonly applicationKey: (consumerKey: string) => Promise<KeyObject>
  readonly close: () => void
}

/** @param options.file stores the state; default: in memory only */
export function openState({ clock, file }: Pick<SimulatorSetting, 'clock' | 'file'>): CrmState {
  const { named, write, remove, close } = openThings<Things>(file, 'event')
  const ofOrganization = <T extends { readonly organizationId: string }>(
    all: ReadonlyMap<string, T>,
    id: string,
  ): T[] => [...all.values()].filter(({ organizationId }) => organizationId === id)
  return {
    now: () => clock.now().getTime(),
    organizations: () => [...named('organization').values()],
    organization: (id) => named('organization').get(id),
    secrets: (id) => ofOrganization(named('secret'), id),
    certificates: (id) => ofOrganization(named('certificate'), id),
    credentials: (id) => ofOrganization(named('credential'), id),
    events: (id) => ofOrganization(named('event'), id),
    save: (kind, some) =>
      write(
        kind,
        some.map((thing) => [thing.id, thing]),
      ),
    remove,
    nextNumber: () => {
      const next = (named('number').get('last') ?? 0) + 1
      write('number', [['last', next]])
      return next
    },
    applicationKey: async (consumerKey) => {
      const known = named('application').get(consumerKey)
      if (known !== undefined) return privateKeyOf(known)
      const key = await pooledRsa('crm applications', APPLICATION_KEY_BITS)
      write('application', [[consumerKey, pkcs8Of(key)]])
      return key
    },
    close,
  }
}
