import { MetadataError } from './metadata-error.ts'
import { textOf, type Element } from './xml.ts'

/** Letter first, then letters, digits and single underscores, none of them last. */
const UNIQUE_NAME = /^[A-Za-z](?:_?[A-Za-z0-9])*$/
const MOST_LABEL = 64

/** @throws MetadataError REQUIRED_FIELD_MISSING */
export function requiredText(component: Element, name: string): string {
  const value = textOf(component, name)
  if (value !== undefined && value !== '') return value
  throw new MetadataError('REQUIRED_FIELD_MISSING', `Required field is missing: ${name}`)
}

/** @throws MetadataError FIELD_INTEGRITY_EXCEPTION */
export function flagOf(component: Element, name: string): boolean | undefined {
  const value = textOf(component, name)
  if (value === undefined || value === 'true' || value === 'false') return value && value === 'true'
  throw new MetadataError('FIELD_INTEGRITY_EXCEPTION', `${name} must be true or false.`)
}

/** The unique name of a new component. @throws MetadataError */
export function uniqueNameOf(component: Element, taken: readonly { readonly developerName: string }[]) {
  const developerName = requiredText(component, 'fullName')
  if (!UNIQUE_NAME.test(developerName))
    throw new MetadataError('FIELD_INTEGRITY_EXCEPTION', `The unique name ${developerName} is not valid.`)
  if (taken.some((each) => each.developerName.toLowerCase() === developerName.toLowerCase()))
    throw new MetadataError('DUPLICATE_DEVELOPER_NAME', `The unique name ${developerName} is in use.`)
  return developerName
}

/** @throws MetadataError */
export function labelOf(component: Element, name: string): string {
  const label = requiredText(component, name)
  if (label.length > MOST_LABEL) throw new MetadataError('STRING_TOO_LONG', `${name} is too long.`)
  return label
}
