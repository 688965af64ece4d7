/** Words for the generated names. */
export const PEOPLE = {
  first: ['Alex', 'Bo', 'Casey', 'Dana', 'Eden', 'Finley', 'Gray', 'Harper', 'Indy', 'Jules', 'Kim', 'Lee'],
  last: ['Ash', 'Brook', 'Cliff', 'Dale', 'Elm', 'Field', 'Grove', 'Hill', 'Isle', 'Lake', 'Marsh', 'North'],
};

export const PLACES = {
  street: ['Main Street', 'Mill Lane', 'Station Road', 'Harbour Row', 'Garden Way'],
  city: ['Northtown', 'Southport', 'Eastfield', 'Westbridge'],
  country: ['Freeland', 'Midland'],
};

export const GOODS = {
  colour: ['Red', 'Green', 'Blue', 'Black', 'White', 'Grey', 'Amber', 'Violet'],
  thing: ['Lamp', 'Chair', 'Desk', 'Shelf', 'Clock'],
};

export const COMPANIES = {
  word: ['Granite', 'Willow', 'Copper', 'Harbour', 'Meadow', 'Summit', 'Cedar', 'Orchard'],
  form: ['Works', 'Supplies', 'Trading', 'Studio', 'Partners'],
};
