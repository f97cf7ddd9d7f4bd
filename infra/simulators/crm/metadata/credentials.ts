import { idOf } from '../state/ids.ts'
import { labelOf, uniqueNameOf, requiredText } from './component.ts'
import { MetadataError } from './metadata-error.ts'
import type { MetadataCall } from './metadata-call.ts'
import type { Element } from './xml.ts'

/** Creates a named credential of the legacy kind with a user name and password. */
export function createCredential({ state, organization }: MetadataCall, component: Element): void {
  const taken = state.credentials(organization.id)
  state.save('credential', [
    {
      id: idOf('NamedCredential', state.nextNumber()),
      organizationId: organization.id,
      developerName: uniqueNameOf(component, taken),
      masterLabel: labelOf(component, 'label'),
      endpoint: requiredText(component, 'endpoint'),
      login: {
        kind: 'password',
        username: requiredText(component, 'username'),
        password: requiredText(component, 'password'),
      },
      ...{ isExternal: false, isOpenToProcesses: false },
    },
  ])
}

export function deleteCredential({ state, organization }: MetadataCall, fullName: string): void {
  const found = state.credentials(organization.id).find(({ developerName }) => developerName === fullName)
  if (found === undefined)
    throw new MetadataError('INVALID_CROSS_REFERENCE_KEY', `no NamedCredential named ${fullName} found`)
  state.remove('credential', found.id)
}
