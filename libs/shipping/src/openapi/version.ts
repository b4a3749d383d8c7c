/** The version in package.json. It is written here, too, because a bundled application has no package.json of ours. */
export const ownVersion = '0.1.0';
