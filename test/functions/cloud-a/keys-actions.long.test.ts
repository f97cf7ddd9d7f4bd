/** These parts share one deployment: each registers its tests when it is imported. */
import './keys-actions/states.ts'
import './keys-actions/attributes.ts'
import './keys-actions/material.ts'
import './keys-actions/callers.ts'
