import { choicesOf } from '../../forms/fields.ts'
import type { JobsRow } from '../row.ts'
import { organizations } from './containers.ts'
import { createCrmTenantSecret } from './described.ts'

export const JOBS: JobsRow = {
  rotation: [
    { name: 'organization_id', label: 'Organization', isRequired: true, choices: organizations },
    {
      ...{ name: 'key_type', label: 'Types', kind: 'lines', isRequired: true, initial: 'Data' },
      hint: `One on each line: ${createCrmTenantSecret.type.words.join(', ')}.`,
    },
    {
      ...{ name: 'key_source', label: 'The material is from', initial: 'native' },
      choices: choicesOf('native', 'keymgr'),
    },
    { name: 'certificate_id', label: 'Certificate id', hint: 'For material from keymgr.' },
    { name: 'key_derivation_mode', label: 'Derivation', hint: 'For material from keymgr: PBKDF2 or NONE.' },
  ],
}
